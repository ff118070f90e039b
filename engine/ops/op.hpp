// An operator of the graph, bound to its attributes: what it accepts, what it yields, what it costs, how it runs on the
// CPU. The registry maps (domain, op_type) to a factory; an unknown operator or attribute is an InputError that names
// the node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/onnx/model.hpp"
#include "harness/core/eligibility.hpp"
#include "harness/core/tensor.hpp"
#include "harness/core/work.hpp"
#include "kernels/cpu.hpp"

namespace gonogo::ops {

/// What is known of an input before running: its type and shape always; its values when it is a constant or when the
/// caller has concrete data at hand (then `constant` points to them).
struct ValueFacts {
  core::DType dtype = core::DType::f32;
  core::Shape shape;
  const std::byte* constant = nullptr;
  bool present = true;  // false: the optional input is absent ("")
};

/// How kernels are to be chosen; set from the levers of a stack. Plain data.
struct KernelChoice {
  /// int4/int8 matmul at M > 1 and at M = 1: "portable" or "simd".
  std::string matmul_nbits = "simd";
  /// Dense matmul (lm_head of some models): "portable" or "simd".
  std::string matmul = "simd";
  /// Attention: "transient" (workspace allocated per call, as eager engines do) or "static" (workspace from the plan).
  std::string attention = "static";
  /// Norms: "transient" (staging allocated per call when there is more than one row) or "static".
  std::string norm = "static";
  /// True: a MatMulNBits with accuracy_level 4 quantises activations to int8 per block as ONNX Runtime's CPU kernel
  /// does. False: level is a lower bound and float32 is used.
  bool int8_activations = false;
};

/// Run-time surroundings of one call.
struct RunContext {
  std::span<const core::Tensor> inputs;  // one per node input; absent ones have data == nullptr and an empty shape {0}
  std::span<core::Tensor> outputs;       // one per node output, storage provided by the caller, shaped by infer()
  std::span<std::byte> workspace;        // at least workspace_bytes(), 64-byte aligned; empty for a transient kernel
  kernels::Threads threads;
};

/// Immutable once made; safe to run from one thread at a time per workspace.
class Op {
 public:
  virtual ~Op() = default;

  /// Output types and shapes for these inputs. Throws core::InputError naming the node when ranks, extents or types
  /// do not fit the operator's rules; the message carries rule, wanted and got.
  [[nodiscard]] virtual std::vector<ValueFacts> infer(std::span<const ValueFacts> inputs) const = 0;

  /// Bytes of scratch that run() wants; 0 when none, or when the chosen kernel allocates for itself.
  [[nodiscard]] virtual std::size_t workspace_bytes(std::span<const ValueFacts> inputs, kernels::Threads threads) const;

  /// Computes outputs. Throws core::InputError on a data error (an id out of range, a length past the buffer).
  virtual void run(const RunContext& context) const = 0;

  /// Bytes and FLOPs of one run at these shapes.
  [[nodiscard]] virtual core::Work work(std::span<const ValueFacts> inputs) const = 0;

  /// The kernel that run() uses at these shapes, such as "matmul_nbits.simd"; goes into the record.
  [[nodiscard]] virtual std::string kernel(std::span<const ValueFacts> inputs) const = 0;

  /// Whether run() may be recorded: it must not allocate. A refusal says why ("KernelCaptureUnsupported").
  [[nodiscard]] virtual core::Eligibility capture(std::span<const ValueFacts> inputs) const;

  /// True when the output is the input's bytes under another shape (Reshape, Unsqueeze...): a plan makes it an alias.
  [[nodiscard]] virtual bool is_view() const { return false; }

  /// For an operator that updates a cache in place (GroupQueryAttention): pairs of (input, output) that may share
  /// storage.
  [[nodiscard]] virtual std::vector<std::pair<int, int>> in_place() const { return {}; }
};

/// Where the node stands, for messages: file and node.
struct NodePlace {
  std::string file;
  std::string node;  // "/model/layers.0/attn/GroupQueryAttention (com.microsoft.GroupQueryAttention)"
};

/// Makes the operator of a node: reads every attribute, refuses those it does not honour.
/// `opset` is the version of the node's domain in the model.
/// `inputs` tells which optional inputs are present and gives constants to prepare from (converted scales, folded
/// tables). Throws core::InputError naming the node.
[[nodiscard]] std::unique_ptr<Op> make_op(const onnx::Node& node, std::int64_t opset, const std::string& file,
                                          std::span<const ValueFacts> inputs, const KernelChoice& choice);

/// True when some factory knows the operator.
[[nodiscard]] bool is_supported(std::string_view domain, std::string_view op_type);

/// A factory; each family registers its own in engine/ops/registry.cpp's table.
using Factory = std::unique_ptr<Op> (*)(const onnx::Node& node, std::int64_t opset, const NodePlace& place,
                                        std::span<const ValueFacts> inputs, const KernelChoice& choice);
struct Registration {
  std::string_view domain;
  std::string_view op_type;
  Factory make;
};

}  // namespace gonogo::ops
