// RotaryEmbedding (com.microsoft and ai.onnx 23) and ai.onnx Attention 23/24; factories for attention.cpp's table.
#pragma once

#include "engine/ops/op.hpp"

namespace gonogo::ops {

[[nodiscard]] std::unique_ptr<Op> make_rotary_microsoft(const onnx::Node& node, std::int64_t opset,
                                                        const NodePlace& place, std::span<const ValueFacts> inputs,
                                                        const KernelChoice& choice);
[[nodiscard]] std::unique_ptr<Op> make_rotary_onnx(const onnx::Node& node, std::int64_t opset, const NodePlace& place,
                                                   std::span<const ValueFacts> inputs, const KernelChoice& choice);
[[nodiscard]] std::unique_ptr<Op> make_attention_onnx(const onnx::Node& node, std::int64_t opset,
                                                      const NodePlace& place, std::span<const ValueFacts> inputs,
                                                      const KernelChoice& choice);

}  // namespace gonogo::ops
