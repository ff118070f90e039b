#include "engine/plan/rows.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace gonogo::engine {
namespace {

using graph::kAbsent;

// Operators that map row r of their inputs to row r of their outputs, given constants for the rest.
constexpr std::array<std::string_view, 22> kRowWise{"MatMulNBits",
                                                    "MatMul",
                                                    "SimplifiedLayerNormalization",
                                                    "SkipSimplifiedLayerNormalization",
                                                    "RMSNormalization",
                                                    "LayerNormalization",
                                                    "SkipLayerNormalization",
                                                    "Add",
                                                    "Sub",
                                                    "Mul",
                                                    "Div",
                                                    "Sigmoid",
                                                    "Tanh",
                                                    "Gelu",
                                                    "FastGelu",
                                                    "QuickGelu",
                                                    "BiasGelu",
                                                    "Swish",
                                                    "Cast",
                                                    "Split",
                                                    "SwiGlu",
                                                    "Identity"};

/// Normalisations and Split work along an axis, which must not be that of the rows.
bool axis_spares_rows(const graph::Node& node) {
  const auto it = node.attributes.find("axis");
  if (it == node.attributes.end()) return node.op_type != "Split";  // Split's default is axis 0
  const auto* axis = std::get_if<std::int64_t>(&it->second);
  return axis != nullptr && (*axis == -1 || *axis >= 2);
}

bool is_constant(const graph::Graph& graph, graph::ValueId id) {
  return id == kAbsent || graph.value(id).constant.has_value();
}

bool is_row_wise(const graph::Graph& graph, const graph::Node& node,
                 const std::function<bool(graph::ValueId)>& has_rows) {
  if (std::find(kRowWise.begin(), kRowWise.end(), node.op_type) == kRowWise.end() || !axis_spares_rows(node))
    return false;
  if (node.op_type.starts_with("MatMul") && (node.inputs.size() < 2 || !is_constant(graph, node.inputs[1])))
    return false;
  return std::all_of(node.inputs.begin(), node.inputs.end(),
                     [&](graph::ValueId id) { return is_constant(graph, id) || has_rows(id); });
}

}  // namespace

std::vector<bool> last_row_nodes(const graph::Graph& graph, graph::ValueId logits,
                                 const std::function<bool(graph::ValueId)>& has_rows) {
  std::vector<bool> wanted_whole(graph.values.size(), false);
  for (const graph::ValueId output : graph.outputs)
    if (output != logits) wanted_whole[static_cast<std::size_t>(output)] = true;
  std::vector<bool> result(graph.nodes.size(), false);
  for (std::size_t n = graph.nodes.size(); n-- > 0;) {
    const graph::Node& node = graph.nodes[n];
    const bool only_last = std::none_of(node.outputs.begin(), node.outputs.end(), [&](graph::ValueId id) {
      return id != kAbsent && wanted_whole[static_cast<std::size_t>(id)];
    });
    result[n] = only_last && is_row_wise(graph, node, has_rows);
    if (result[n]) continue;
    for (const graph::ValueId id : node.inputs)
      if (id != kAbsent) wanted_whole[static_cast<std::size_t>(id)] = true;
  }
  return result;
}

}  // namespace gonogo::engine
