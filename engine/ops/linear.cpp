#include "engine/ops/linear.hpp"

#include <array>

#include "engine/ops/registry.hpp"

namespace gonogo::ops {

std::span<const Registration> linear_ops() {
  static constexpr std::array kTable = {
      Registration{"com.microsoft", "MatMulNBits", &make_matmul_nbits},
      Registration{"com.microsoft", "GatherBlockQuantized", &make_gather_block_quantized},
      Registration{"com.microsoft", "FusedMatMul", &make_matmul},
      Registration{"", "MatMul", &make_matmul},
      Registration{"", "Gather", &make_gather},
      Registration{"", "DequantizeLinear", &make_dequantize_linear},
  };
  return kTable;
}

std::vector<ValueFacts> facts_of(std::span<const core::Tensor> tensors) {
  std::vector<ValueFacts> facts;
  facts.reserve(tensors.size());
  for (const core::Tensor& t : tensors) {
    const bool absent = t.data == nullptr && t.shape == core::Shape{0};
    facts.push_back({t.dtype, t.shape, t.data, !absent});
  }
  return facts;
}

}  // namespace gonogo::ops
