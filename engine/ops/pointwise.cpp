// The elementwise operators.
#include "engine/ops/pointwise_parts.hpp"
#include "engine/ops/registry.hpp"

namespace gonogo::ops {

std::span<const Registration> pointwise_ops() {
  static constexpr Registration kTable[] = {
      {"", "Add", pointwise::make_add},
      {"", "Sub", pointwise::make_sub},
      {"", "Mul", pointwise::make_mul},
      {"", "Div", pointwise::make_div},
      {"", "Relu", pointwise::make_relu},
      {"", "Sigmoid", pointwise::make_sigmoid},
      {"", "Tanh", pointwise::make_tanh},
      {"", "Gelu", pointwise::make_gelu},
      {"com.microsoft", "Gelu", pointwise::make_gelu_erf},
      {"com.microsoft", "FastGelu", pointwise::make_fast_gelu},
      {"com.microsoft", "QuickGelu", pointwise::make_quick_gelu},
      {"", "Swish", pointwise::make_swish},
      {"gonogo", "SwiGlu", pointwise::make_swiglu},  // made by the fuse_swiglu rewrite
      {"", "Cast", pointwise::make_cast},
  };
  return kTable;
}

}  // namespace gonogo::ops
