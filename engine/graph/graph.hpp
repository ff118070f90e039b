// The graph IR: values numbered, nodes in topological order, constants attached. Rewrites turn one graph into another.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/onnx/model.hpp"

namespace gonogo::graph {

using ValueId = std::int32_t;
inline constexpr ValueId kAbsent = -1;  // an optional input that is not there, or an output nobody wants

/// An integer of the mask sub-graph that a session writes once per step instead of interpreting nodes per token.
enum class StepScalar {
  none,
  total_length,       // tokens in the cache after this step: total_sequence_length
  last_valid,         // total_length - 1: seqlens_k
};

struct Value {
  std::string name;
  core::DType dtype = core::DType::f32;      // known for inputs, outputs and constants; else filled by shape inference
  std::vector<onnx::Dim> shape;              // declared shape of a graph input or output
  std::optional<core::Tensor> constant;      // an initialiser, a Constant node, or the result of folding
  StepScalar step_scalar = StepScalar::none; // set by the mask folding rewrite (batch 1)
};

struct Node {
  std::string name;
  std::string domain;
  std::string op_type;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::map<std::string, onnx::AttributeValue, std::less<>> attributes;
};

struct Graph {
  std::string file;                            // for messages
  std::map<std::string, std::int64_t> opsets;  // domain -> version
  std::vector<Value> values;
  std::vector<Node> nodes;  // topological
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::vector<std::shared_ptr<const void>> storage;  // keeps constants alive

  [[nodiscard]] const Value& value(ValueId id) const { return values.at(static_cast<std::size_t>(id)); }
};

/// Numbers the model's values and checks that every input of a node is defined before it is used.
/// Throws core::InputError naming the node or the tensor.
[[nodiscard]] Graph build(const onnx::Model& model);

/// A named, individually switchable rewrite. Returns how often it applied.
struct Rewrite {
  std::string_view name;
  int (*apply)(Graph& graph);
};
/// In the order in which they are applied: fold_constants, fold_reshaped_initializers, fold_mask, remove_dead...
[[nodiscard]] std::span<const Rewrite> rewrites();

}  // namespace gonogo::graph
