// Factories of the linear family: matmuls over constant or run-time weights, embeddings, dequantisation.
#pragma once

#include <memory>

#include "engine/ops/op.hpp"

namespace gonogo::ops {

using OpPtr = std::unique_ptr<Op>;

OpPtr make_matmul_nbits(const onnx::Node&, std::int64_t, const NodePlace&, std::span<const ValueFacts>,
                        const KernelChoice&);
OpPtr make_matmul(const onnx::Node&, std::int64_t, const NodePlace&, std::span<const ValueFacts>, const KernelChoice&);
OpPtr make_gather(const onnx::Node&, std::int64_t, const NodePlace&, std::span<const ValueFacts>, const KernelChoice&);
OpPtr make_gather_block_quantized(const onnx::Node&, std::int64_t, const NodePlace&, std::span<const ValueFacts>,
                                  const KernelChoice&);
OpPtr make_dequantize_linear(const onnx::Node&, std::int64_t, const NodePlace&, std::span<const ValueFacts>,
                             const KernelChoice&);

/// Input `index` of a node, absent when the node has fewer.
[[nodiscard]] inline ValueFacts fact_at(std::span<const ValueFacts> inputs, std::size_t index) {
  return index < inputs.size() ? inputs[index] : ValueFacts{.shape = {}, .present = false};
}
[[nodiscard]] inline core::Tensor tensor_at(std::span<const core::Tensor> inputs, std::size_t index) {
  return index < inputs.size() ? inputs[index] : core::Tensor{.shape = {0}};
}
/// Facts of the tensors of a running call; an absent input has no data and the shape {0}.
[[nodiscard]] std::vector<ValueFacts> facts_of(std::span<const core::Tensor> tensors);

}  // namespace gonogo::ops
