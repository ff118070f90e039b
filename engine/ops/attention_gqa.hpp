// com.microsoft.GroupQueryAttention: its rules, its shapes and the values a call reads, checked before anything is
// computed. Source: ONNX Runtime ContribOperators.md; what it leaves open: docs/onnx-operators.md.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "engine/ops/attributes.hpp"
#include "engine/ops/op.hpp"
#include "kernels/attention/attention.hpp"
#include "kernels/rope/rope.hpp"

namespace gonogo::ops::gqa {

/// Positions of the inputs.
enum Input : std::size_t {
  kQuery,
  kKey,
  kValue,
  kPastKey,
  kPastValue,
  kSeqlens,
  kTotal,
  kCos,
  kSin,
  kPositions,
  kBias,
  kSink,
  kKeyScale,
  kValueScale,
  kQueryNorm,
  kKeyNorm,
  kInputs
};

/// Attributes and which inputs there are.
struct Rules {
  std::int64_t heads = 0, kv_heads = 0;
  float scale = 0.0f;  // 0: 1 / sqrt(head_dim)
  float softcap = 0.0f;
  bool rotary = false;
  kernels::rope::Style style = kernels::rope::Style::half;
  std::int64_t window = -1;
  bool smooth_softmax = false;
  bool causal = true;
  bool rolling = false;  // sliding_window_cache: the cache may be shorter than the text
  std::array<bool, kInputs> present{};
};
[[nodiscard]] Rules read_rules(const onnx::Node& node, const NodePlace& place);

/// A view of one input, from facts (planning) or from a tensor (running).
struct Seen {
  core::DType dtype = core::DType::f32;
  const core::Shape* shape = nullptr;
  const std::byte* data = nullptr;  // null when not known
};
using Inputs = std::array<Seen, kInputs>;
[[nodiscard]] Inputs see(std::span<const ValueFacts> facts);
[[nodiscard]] Inputs see(std::span<const core::Tensor> tensors);

/// Extents of one call.
struct Shape {
  std::int64_t batch = 1, rows = 1, head_dim = 8;
  std::int64_t past_rows = 0;     // P: capacity of the past buffer
  std::int64_t present_rows = 0;  // capacity of the present buffer
  std::int64_t rotary_dim = 0, table_rows = 0;
  bool packed = false;
  core::DType type = core::DType::f32, cache = core::DType::f32;
};
/// Throws InputError at the node. The length of present: max(total, P) when total is known, else P (else the new rows).
[[nodiscard]] Shape check_shapes(const Rules& rules, const Inputs& inputs, const NodePlace& place);

/// Where one batch entry stands.
struct Entry {
  std::int64_t length = 0;  // valid tokens after the call
  std::int64_t past = 0;    // cache rows before the new ones
};
/// Reads seqlens_k and total_sequence_length and checks entry `b` against the shapes. Throws InputError at the node.
[[nodiscard]] std::int64_t read_total(const Rules& rules, const Shape& shape, const Inputs& inputs,
                                      const NodePlace& place);
[[nodiscard]] Entry read_entry(const Rules& rules, const Shape& shape, const Inputs& inputs, std::int64_t b,
                               const NodePlace& place);

/// Rows a rolling cache of `capacity` rows keeps of `length` tokens: all while they fit, then capacity - window + 1 are
/// dropped at a time.
[[nodiscard]] std::int64_t rolling_rows(std::int64_t length, std::int64_t capacity, std::int64_t window);

[[nodiscard]] kernels::attention::Problem problem_of(const Rules& rules, const Shape& shape);

/// A call's operands as float32 rows, made by run().
struct Call {
  kernels::attention::HeadRows<const float> query, key, value;  // rotated where asked
  kernels::attention::HeadRows<const float> bias;               // data null: none
  const float* sinks = nullptr;
  kernels::attention::HeadRows<float> output;
  std::int64_t total = 0;
};

/// Both run the attention and update the cache; `scratch` has scratch_bytes(). A cache whose past and present share
/// storage is appended in place; otherwise the valid past is copied and the rest zeroed.
struct Surroundings {
  const Rules& rules;
  const Shape& shape;
  const Inputs& inputs;
  const NodePlace& place;
  kernels::attention::Variant variant;
  kernels::Threads threads;
};
void run_ordinary(const Surroundings& at, const Call& call, std::span<core::Tensor> outputs, core::Scratch& scratch);
void run_rolling(const Surroundings& at, const Call& call, std::span<core::Tensor> outputs, core::Scratch& scratch);
/// Scratch either of the two may take.
[[nodiscard]] std::size_t cache_scratch_bytes(const Rules& rules, const Shape& shape, kernels::Threads threads);

/// The factory for the registry.
[[nodiscard]] std::unique_ptr<Op> make(const onnx::Node& node, std::int64_t opset, const NodePlace& place,
                                       std::span<const ValueFacts> inputs, const KernelChoice& choice);

}  // namespace gonogo::ops::gqa
