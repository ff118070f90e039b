// Which kernel of the CUDA backend runs a node at given shapes, under a stack of levers. Decided on the host alone.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "engine/cuda/device_op.hpp"
#include "engine/cuda/weight_lease.hpp"
#include "engine/graph/graph.hpp"
#include "engine/levers/choice.hpp"
#include "engine/ops/op.hpp"
#include "kernels/overlap.hpp"

namespace gonogo::engine::cuda {

struct LowerRequest {
  const graph::Graph& graph;
  const graph::Node& node;
  const Stack& stack;
  NodeRole role = NodeRole::other;
  std::span<const ops::ValueFacts> inputs;   // absent optional inputs have present == false
  std::span<const ops::ValueFacts> outputs;  // as ops::Op::infer says

  [[nodiscard]] ops::ValueFacts input(std::size_t i) const;
  [[nodiscard]] bool has(std::size_t i) const { return input(i).present; }
  [[nodiscard]] kernels::Overlap overlap() const {
    return stack.has("overlap") ? kernels::Overlap::with_previous : kernels::Overlap::off;
  }
  [[nodiscard]] std::int64_t integer(std::string_view attribute, std::int64_t absent) const;
  [[nodiscard]] float real(std::string_view attribute, float absent) const;
  /// Throws InputError at the node: "the cuda backend has no kernel: rule: wanted W, got G".
  [[noreturn]] void refuse(const core::Refusal& refusal) const;
  /// refuse() unless accepted.
  void want(const core::Eligibility& eligibility) const;
};

using DeviceOpPtr = std::unique_ptr<DeviceOp>;

/// Throws core::InputError naming the node when no kernel of the backend runs it, with the rule that stands against.
[[nodiscard]] DeviceOpPtr lower(const LowerRequest& request);

// One function per family; lower() finds it by the operator's type.
[[nodiscard]] DeviceOpPtr lower_attention(const LowerRequest& request);     // GroupQueryAttention
[[nodiscard]] DeviceOpPtr lower_rotary(const LowerRequest& request);        // RotaryEmbedding
[[nodiscard]] DeviceOpPtr lower_matmul_nbits(const LowerRequest& request);  // MatMulNBits
[[nodiscard]] DeviceOpPtr lower_matmul(const LowerRequest& request);        // MatMul, FusedMatMul
[[nodiscard]] DeviceOpPtr lower_norm(const LowerRequest& request);          // root-mean-square and layer forms
[[nodiscard]] DeviceOpPtr lower_gather(const LowerRequest& request);        // Gather, GatherBlockQuantized
[[nodiscard]] DeviceOpPtr lower_binary(const LowerRequest& request);        // Add, Sub, Mul
[[nodiscard]] DeviceOpPtr lower_unary(const LowerRequest& request);         // Sigmoid, Relu, Tanh, Gelu forms, Cast
[[nodiscard]] DeviceOpPtr lower_swiglu(const LowerRequest& request);        // SwiGlu
[[nodiscard]] DeviceOpPtr lower_split(const LowerRequest& request);         // Split

}  // namespace gonogo::engine::cuda
