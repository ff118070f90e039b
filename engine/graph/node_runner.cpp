#include "engine/graph/node_runner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.hpp"

namespace gonogo::graph {

std::string place_of(const Node& node) {
  return fmt::format("node {} ({}{}{})", node.name, node.domain, node.domain.empty() ? "" : ".", node.op_type);
}

ops::ValueFacts absent_facts() { return {core::DType::f32, {0}, nullptr, false}; }

ops::ValueFacts facts_of(const core::Tensor& tensor) { return {tensor.dtype, tensor.shape, tensor.data, true}; }

namespace {

std::int64_t opset_of(const Graph& graph, const Node& node) {
  const auto found = graph.opsets.find(node.domain);
  if (found != graph.opsets.end()) return found->second;
  // A file may leave the contributed operators' domain out; they have one version only.
  if (node.domain == "com.microsoft" || node.domain == "gonogo") return 1;
  throw core::InputError({graph.file, place_of(node),
                          fmt::format("the model imports no operator set for domain \"{}\"", node.domain),
                          "add an opset_import entry"});
}

onnx::Node named_node(const Graph& graph, const Node& node) {
  onnx::Node named{node.name, node.domain, node.op_type, {}, {}, node.attributes};
  const auto name_of = [&](ValueId id) { return id == kAbsent ? std::string() : graph.value(id).name; };
  std::transform(node.inputs.begin(), node.inputs.end(), std::back_inserter(named.inputs), name_of);
  std::transform(node.outputs.begin(), node.outputs.end(), std::back_inserter(named.outputs), name_of);
  return named;
}

}  // namespace

BoundNode bind(const Graph& graph, const Node& node, std::vector<ops::ValueFacts> inputs,
               const ops::KernelChoice& choice) {
  BoundNode bound;
  bound.inputs = std::move(inputs);
  bound.op = ops::make_op(named_node(graph, node), opset_of(graph, node), graph.file, bound.inputs, choice);
  bound.outputs = bound.op->infer(bound.inputs);
  if (bound.outputs.size() < node.outputs.size())
    throw core::InputError(
        {graph.file, place_of(node),
         fmt::format("outputs: wanted at most {}, got {}", bound.outputs.size(), node.outputs.size()), ""});
  bound.outputs.resize(node.outputs.size());
  return bound;
}

std::vector<core::Tensor> run(const BoundNode& bound, std::span<const core::Tensor> inputs, kernels::Threads threads,
                              std::deque<core::HostBuffer>& buffers) {
  std::vector<core::Tensor> outputs;
  for (const ops::ValueFacts& facts : bound.outputs) {
    core::Tensor& output = outputs.emplace_back(core::Tensor{facts.dtype, facts.shape});
    output.data = buffers.emplace_back(std::max<std::size_t>(64, output.bytes())).data();
  }
  const core::HostBuffer workspace(std::max<std::size_t>(64, bound.op->workspace_bytes(bound.inputs, threads)));
  bound.op->run({inputs, outputs, {workspace.data(), workspace.size()}, threads});
  return outputs;
}

}  // namespace gonogo::graph
