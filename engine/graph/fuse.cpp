// Rewrites that put two or more nodes into one.
#include <algorithm>
#include <optional>

#include "engine/graph/rewrites.hpp"
#include "harness/core/error.hpp"

namespace gonogo::graph {
namespace {

bool is_op(const Node& node, std::string_view domain, std::string_view type) {
  return node.domain == domain && node.op_type == type;
}

std::optional<std::int64_t> integer_of(const Node& node, std::string_view name) {
  const auto found = node.attributes.find(name);
  if (found == node.attributes.end()) return std::nullopt;
  const auto* value = std::get_if<std::int64_t>(&found->second);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

/// The graph with its edges, for matching.
struct Edges {
  explicit Edges(const Graph& of) : graph(of), producer(producers(of)), readers(consumer_counts(of)) {}
  [[nodiscard]] int producer_of(ValueId id) const {
    return id == kAbsent ? -1 : producer[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] int readers_of(ValueId id) const { return id == kAbsent ? 0 : readers[static_cast<std::size_t>(id)]; }
  [[nodiscard]] const Node* node_of(ValueId id) const {
    const int n = producer_of(id);
    return n < 0 ? nullptr : &graph.nodes[static_cast<std::size_t>(n)];
  }
  const Graph& graph;
  std::vector<int> producer;
  std::vector<int> readers;
};

bool is_bias(const Graph& graph, ValueId id, std::int64_t width, const Node& matmul) {
  const Value& value = graph.value(id);
  if (!value.constant || matmul.inputs.size() < 3 || matmul.inputs[2] == kAbsent) return false;
  const core::Shape& shape = value.constant->shape;
  const Value& scales = graph.value(matmul.inputs[2]);
  return shape == core::Shape{width} && scales.constant && scales.constant->dtype == value.constant->dtype;
}

/// Width of the rows a matmul yields, when it is known: MatMulNBits, or MatMul by a constant [K, N].
std::optional<std::int64_t> width_of(const Graph& graph, const Node& node) {
  if (is_op(node, "com.microsoft", "MatMulNBits")) return integer_of(node, "N");
  if (!is_op(node, "", "MatMul") || node.inputs.size() != 2) return std::nullopt;
  const Value& weight = graph.value(node.inputs[1]);
  if (!weight.constant || weight.constant->shape.size() != 2) return std::nullopt;
  return weight.constant->shape[1];
}

/// Equal shapes without shape inference: two matmuls of one width over one input, or two halves of an even Split.
bool same_shape(const Edges& edges, ValueId a, ValueId b) {
  const Node* from_a = edges.node_of(a);
  const Node* from_b = edges.node_of(b);
  if (from_a == nullptr || from_b == nullptr || a == b) return false;
  if (from_a == from_b && is_op(*from_a, "", "Split") && from_a->outputs.size() == 2) {
    if (from_a->inputs.size() < 2 || from_a->inputs[1] == kAbsent) return !from_a->attributes.contains("split");
    const Value& sizes = edges.graph.value(from_a->inputs[1]);
    return sizes.constant && sizes.constant->dtype == core::DType::i64 && sizes.constant->count() == 2 &&
           sizes.constant->as<std::int64_t>()[0] == sizes.constant->as<std::int64_t>()[1];
  }
  const auto width_a = width_of(edges.graph, *from_a);
  return width_a && width_a == width_of(edges.graph, *from_b) && from_a->inputs[0] == from_b->inputs[0];
}

/// The x of `x * Sigmoid(x)`, when that is what `id` is and nobody else reads the two results.
ValueId silu_input(const Edges& edges, ValueId id) {
  const Node* mul = edges.node_of(id);
  if (mul == nullptr || !is_op(*mul, "", "Mul") || mul->inputs.size() != 2 || edges.readers_of(id) != 1) return kAbsent;
  for (const int side : {0, 1}) {
    const ValueId x = mul->inputs[static_cast<std::size_t>(side)];
    const ValueId y = mul->inputs[static_cast<std::size_t>(1 - side)];
    const Node* sigmoid = edges.node_of(y);
    if (sigmoid != nullptr && is_op(*sigmoid, "", "Sigmoid") && sigmoid->inputs.size() == 1 &&
        sigmoid->inputs[0] == x && edges.readers_of(y) == 1)
      return x;
  }
  return kAbsent;
}

}  // namespace

int fuse_bias(Graph& graph) {
  const Edges edges(graph);
  std::vector<bool> is_dropped(graph.nodes.size(), false);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& add = graph.nodes[n];
    if (!is_op(add, "", "Add") || add.inputs.size() != 2 || add.outputs.size() != 1) continue;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const ValueId product = add.inputs[side];
      const ValueId bias = add.inputs[1 - side];
      const int m = edges.producer_of(product);
      if (m < 0 || bias == kAbsent || edges.readers_of(product) != 1) continue;
      Node& matmul = graph.nodes[static_cast<std::size_t>(m)];
      const auto width = is_op(matmul, "com.microsoft", "MatMulNBits") ? integer_of(matmul, "N") : std::nullopt;
      if (!width || !is_bias(graph, bias, *width, matmul)) continue;
      if (matmul.inputs.size() > 5 && matmul.inputs[5] != kAbsent) continue;
      matmul.inputs.resize(6, kAbsent);
      matmul.inputs[5] = bias;
      matmul.outputs[0] = add.outputs[0];
      is_dropped[n] = true;
      break;
    }
  }
  return remove_nodes(graph, is_dropped);
}

int fuse_swiglu(Graph& graph) {
  const Edges edges(graph);
  std::vector<bool> is_dropped(graph.nodes.size(), false);
  int fused = 0;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    Node& outer = graph.nodes[n];
    if (!is_op(outer, "", "Mul") || outer.inputs.size() != 2) continue;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const ValueId activated = outer.inputs[side];
      const ValueId up = outer.inputs[1 - side];
      const ValueId gate = silu_input(edges, activated);
      if (gate == kAbsent || !same_shape(edges, gate, up)) continue;
      const auto inner = static_cast<std::size_t>(edges.producer_of(activated));
      const Node& mul = graph.nodes[inner];
      const ValueId sigmoid = mul.inputs[0] == gate ? mul.inputs[1] : mul.inputs[0];
      is_dropped[inner] = is_dropped[static_cast<std::size_t>(edges.producer_of(sigmoid))] = true;
      outer.domain = "gonogo";
      outer.op_type = "SwiGlu";
      outer.inputs = {gate, up};
      ++fused;
      break;
    }
  }
  if (fused > 0) graph.opsets["gonogo"] = 1;
  remove_nodes(graph, is_dropped);
  return fused;
}

}  // namespace gonogo::graph
