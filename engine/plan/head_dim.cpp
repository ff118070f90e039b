#include "engine/plan/head_dim.hpp"

#include <string_view>
#include <variant>

namespace gonogo::engine {
namespace {

using graph::kAbsent;
using graph::ValueId;

std::int64_t attribute(const graph::Node& node, std::string_view name) {
  const auto it = node.attributes.find(name);
  if (it == node.attributes.end()) return 0;
  const auto* value = std::get_if<std::int64_t>(&it->second);
  return value == nullptr ? 0 : *value;
}

/// Extents that a constant input holds as int64; the one at `index`, negative counting from the end.
std::optional<std::int64_t> constant_at(const graph::Graph& graph, const graph::Node& node, std::size_t input,
                                        std::int64_t index) {
  if (input >= node.inputs.size() || node.inputs[input] == kAbsent) return std::nullopt;
  const auto& constant = graph.value(node.inputs[input]).constant;
  if (!constant || constant->dtype != core::DType::i64) return std::nullopt;
  const std::int64_t count = constant->count();
  const std::int64_t at = index < 0 ? count + index : index;
  if (at < 0 || at >= count) return std::nullopt;
  return constant->as<std::int64_t>()[at];
}

/// The last extent of a value, where the graph says it; each step goes to a node that comes earlier, so it ends.
std::optional<std::int64_t> last_extent(const graph::Graph& graph, const std::vector<int>& producers, ValueId id) {
  while (id != kAbsent) {
    if (const auto& constant = graph.value(id).constant; constant && !constant->shape.empty())
      return constant->shape.back();
    const int producer = producers[static_cast<std::size_t>(id)];
    if (producer < 0) return std::nullopt;
    const graph::Node& node = graph.nodes[static_cast<std::size_t>(producer)];
    const std::string_view op = node.op_type;
    std::optional<std::int64_t> extent;
    if (op == "MatMulNBits") extent = attribute(node, "N");
    if (op == "MatMul") return last_extent(graph, producers, node.inputs.at(1));
    if (op == "Reshape") extent = constant_at(graph, node, 1, -1);
    if (op == "Split")
      for (std::size_t i = 0; i < node.outputs.size(); ++i)
        if (node.outputs[i] == id) extent = constant_at(graph, node, 1, static_cast<std::int64_t>(i));
    if (extent) return *extent > 0 ? extent : std::nullopt;
    const bool keeps_width =
        op == "Add" || op == "Cast" || op == "RotaryEmbedding" || op == "SimplifiedLayerNormalization";
    if (!keeps_width) return std::nullopt;
    id = node.inputs.at(0);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> head_dim_of(const graph::Graph& graph, const graph::Node& attention) {
  const bool packed = attention.inputs.size() > 1 && attention.inputs[1] == kAbsent;
  const std::int64_t heads =
      attribute(attention, "num_heads") + (packed ? 2 * attribute(attention, "kv_num_heads") : 0);
  const auto width = last_extent(graph, graph::producers(graph), attention.inputs.at(0));
  if (!width || heads <= 0 || *width % heads != 0) return std::nullopt;
  return *width / heads;
}

}  // namespace gonogo::engine
