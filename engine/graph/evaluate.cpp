#include "engine/graph/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/graph/node_runner.hpp"
#include "harness/core/error.hpp"

namespace gonogo::graph {
namespace {

[[noreturn]] void fail(const Graph& graph, const std::string& place, const std::string& what) {
  throw core::InputError({graph.file, place, what, ""});
}

std::string declared(const Value& value) {
  std::string text(core::name_of(value.dtype));
  if (!value.is_ranked) return text;
  text += "[";
  for (std::size_t i = 0; i < value.shape.size(); ++i) {
    const onnx::Dim& dim = value.shape[i];
    text += (i > 0 ? ", " : "") + (dim.value >= 0 ? std::to_string(dim.value) : dim.symbol.empty() ? "?" : dim.symbol);
  }
  return text + "]";
}

bool fits(const Value& value, const core::Tensor& feed) {
  if (feed.dtype != value.dtype) return false;
  if (!value.is_ranked) return true;
  if (feed.shape.size() != value.shape.size()) return false;
  for (std::size_t i = 0; i < feed.shape.size(); ++i)
    if (value.shape[i].value >= 0 && value.shape[i].value != feed.shape[i]) return false;
  return true;
}

void check_feeds(const Graph& graph, const Feeds& feeds) {
  for (const ValueId id : graph.inputs) {
    const Value& value = graph.value(id);
    const auto feed = feeds.find(value.name);
    if (feed == feeds.end()) fail(graph, "input " + value.name, "has no feed");
    if (!fits(value, feed->second))
      fail(graph, "input " + value.name,
           fmt::format("feed: wanted {}, got {}{}", declared(value), core::name_of(feed->second.dtype),
                       core::to_string(feed->second.shape)));
  }
  for (const auto& [name, feed] : feeds)
    if (std::none_of(graph.inputs.begin(), graph.inputs.end(),
                     [&](ValueId id) { return graph.value(id).name == name; }))
      fail(graph, "feed " + name, "is no input of the graph");
}

void check_outputs(const Graph& graph, const std::vector<core::Tensor>& values) {
  for (const ValueId id : graph.outputs) {
    const Value& value = graph.value(id);
    const core::DType got = values[static_cast<std::size_t>(id)].dtype;
    if (value.is_typed && got != value.dtype)
      fail(graph, "output " + value.name,
           fmt::format("type: declared {}, got {}", core::name_of(value.dtype), core::name_of(got)));
  }
}

}  // namespace

Evaluation evaluate(const Graph& graph, const Feeds& feeds, const EvaluateOptions& options) {
  check_feeds(graph, feeds);
  Evaluation evaluation;
  std::vector<core::Tensor> values(graph.values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (graph.values[i].step_scalar != StepScalar::none)
      fail(graph, "tensor " + graph.values[i].name, "is a step scalar: the mask was folded");
    if (graph.values[i].constant) values[i] = *graph.values[i].constant;
  }
  for (const ValueId id : graph.inputs) values[static_cast<std::size_t>(id)] = feeds.find(graph.value(id).name)->second;

  for (const Node& node : graph.nodes) {
    std::vector<core::Tensor> inputs;
    std::vector<ops::ValueFacts> facts;
    for (const ValueId input : node.inputs) {
      inputs.push_back(input == kAbsent ? core::Tensor{core::DType::f32, {0}}
                                        : values[static_cast<std::size_t>(input)]);
      facts.push_back(input == kAbsent ? absent_facts() : facts_of(inputs.back()));
    }
    const BoundNode bound = bind(graph, node, std::move(facts), options.choice);
    const std::vector<core::Tensor> outputs = run(bound, inputs, options.threads, evaluation.buffers);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (node.outputs[i] != kAbsent) values[static_cast<std::size_t>(node.outputs[i])] = outputs[i];
  }
  check_outputs(graph, values);
  for (const ValueId id : graph.outputs)
    evaluation.outputs[graph.value(id).name] = values[static_cast<std::size_t>(id)];
  return evaluation;
}

}  // namespace gonogo::graph
