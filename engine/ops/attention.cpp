#include "engine/ops/attention_gqa.hpp"
#include "engine/ops/registry.hpp"

namespace gonogo::ops {

std::span<const Registration> attention_ops() {
  static constexpr Registration kTable[] = {
      {"com.microsoft", "GroupQueryAttention", gqa::make},
  };
  return kTable;
}

}  // namespace gonogo::ops
