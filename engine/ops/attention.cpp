// The attention operators and the rotary embedding that may stand outside of them.
#include "engine/ops/attention_gqa.hpp"
#include "engine/ops/attention_rotary.hpp"
#include "engine/ops/registry.hpp"

namespace gonogo::ops {

std::span<const Registration> attention_ops() {
  static constexpr Registration kTable[] = {
      {"com.microsoft", "GroupQueryAttention", gqa::make},
      {"com.microsoft", "RotaryEmbedding", make_rotary_microsoft},
      {"", "RotaryEmbedding", make_rotary_onnx},
      {"", "Attention", make_attention_onnx},
  };
  return kTable;
}

}  // namespace gonogo::ops
