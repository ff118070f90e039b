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
  total_length,  // tokens in the cache after this step: total_sequence_length
  last_valid,    // total_length - 1: seqlens_k
};

struct Value {
  std::string name;
  core::DType dtype = core::DType::f32;       // known for inputs, outputs and constants; else filled by shape inference
  std::vector<onnx::Dim> shape;               // declared shape of a graph input or output
  bool is_ranked = false;                     // false: no shape is declared
  bool is_typed = false;                      // dtype is known
  std::optional<core::Tensor> constant;       // an initialiser, a Constant node, or the result of folding
  StepScalar step_scalar = StepScalar::none;  // set by the mask folding rewrite (batch 1)
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

/// Numbers the model's values, orders nodes so that every value is defined before it is used (file order is kept where
/// it allows it), and checks that every value is defined exactly once. Throws core::InputError naming the node and the
/// missing or doubly defined tensor, or the nodes of a cycle.
[[nodiscard]] Graph build(const onnx::Model& model);

/// A named, individually switchable rewrite. Returns how often it applied.
struct Rewrite {
  std::string_view name;
  int (*apply)(Graph& graph);
};
/// In the order in which they are applied: fold_constants, fold_reshaped_initializers, fold_mask, remove_dead...
[[nodiscard]] std::span<const Rewrite> rewrites();

struct RewriteCount {
  std::string_view name;
  int count = 0;
};
/// Applies the enabled rewrites in order, once. Returns how often each applied (a rewrite that is off: 0), in the order
/// of rewrites(). Throws core::UsageError for a name that is no rewrite.
std::vector<RewriteCount> rewrite(Graph& graph, std::span<const std::string> enabled);
/// Every rewrite.
std::vector<RewriteCount> rewrite(Graph& graph);

/// One line a node: "name: domain.Op(a, -, b) -> (c) {K=256, N=384}"; constants as their type and shape.
[[nodiscard]] std::string to_string(const Graph& graph);

/// Throws core::LogicError when a rewrite broke the graph: an undefined input, a value defined twice, a bad order or
/// id.
void check(const Graph& graph);

/// How many nodes read each value, and whether it is a graph output, by value id.
[[nodiscard]] std::vector<int> consumer_counts(const Graph& graph);
/// The index of the node that defines each value, or -1.
[[nodiscard]] std::vector<int> producers(const Graph& graph);

}  // namespace gonogo::graph
