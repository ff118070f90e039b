#include <algorithm>
#include <deque>

#include "engine/graph/node_runner.hpp"
#include "engine/graph/rewrites.hpp"
#include "harness/core/error.hpp"

namespace gonogo::graph {
namespace {

enum class Scope { all_but_views_and_codes, views, all };

bool is_4bit(core::DType type) { return type == core::DType::u4 || type == core::DType::i4; }

bool reads_constants_only(const Graph& graph, const Node& node) {
  return std::all_of(node.inputs.begin(), node.inputs.end(),
                     [&](ValueId input) { return input == kAbsent || graph.value(input).constant.has_value(); });
}

/// A QuantizeLinear-style expansion of 4-bit weights: eight times their size in float32.
bool expands_codes(const Graph& graph, const Node& node) {
  return node.op_type == "DequantizeLinear" && !node.inputs.empty() && node.inputs[0] != kAbsent &&
         is_4bit(graph.value(node.inputs[0]).constant->dtype);
}

void make_constant(Graph& graph, ValueId id, const core::Tensor& tensor) {
  if (id == kAbsent) return;
  Value& value = graph.values[static_cast<std::size_t>(id)];
  value.constant = tensor;
  value.dtype = tensor.dtype;
  value.is_typed = true;
}

int fold(Graph& graph, Scope scope) {
  const auto buffers = std::make_shared<std::deque<core::HostBuffer>>();
  std::vector<bool> is_folded(graph.nodes.size(), false);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    if (!reads_constants_only(graph, node) || !ops::is_supported(node.domain, node.op_type)) continue;
    if (scope != Scope::all && expands_codes(graph, node)) continue;
    std::vector<ops::ValueFacts> facts;
    std::vector<core::Tensor> inputs;
    for (const ValueId input : node.inputs) {
      inputs.push_back(input == kAbsent ? core::Tensor{core::DType::f32, {0}} : *graph.value(input).constant);
      facts.push_back(input == kAbsent ? absent_facts() : facts_of(inputs.back()));
    }
    const BoundNode bound = bind(graph, node, facts, {});
    if (bound.op->is_view()) {
      if (scope == Scope::all_but_views_and_codes) continue;
      const core::Tensor& from = inputs.front();
      make_constant(graph, node.outputs.front(), {from.dtype, bound.outputs.front().shape, from.data});
    } else {
      if (scope == Scope::views) continue;
      const std::vector<core::Tensor> outputs = run(bound, inputs, {kernels::available_threads()}, *buffers);
      for (std::size_t i = 0; i < outputs.size(); ++i) make_constant(graph, node.outputs[i], outputs[i]);
    }
    is_folded[n] = true;
  }
  if (!buffers->empty()) graph.storage.push_back(buffers);
  return remove_nodes(graph, is_folded);
}

}  // namespace

int fold_constants(Graph& graph) { return fold(graph, Scope::all_but_views_and_codes); }
int fold_reshaped_initializers(Graph& graph) { return fold(graph, Scope::views); }
int fold_dequantized(Graph& graph) { return fold(graph, Scope::all); }

}  // namespace gonogo::graph
