#include "engine/plan/program.hpp"

#include <utility>

#include "engine/graph/node_runner.hpp"
#include "engine/kv/bucket.hpp"

namespace gonogo::engine {
namespace {

using graph::kAbsent;
using graph::ValueId;

core::Shape scalar_shape(const graph::Value& value, graph::StepScalar scalar) {
  // The mask's sub-graph yields lengths per batch row and one total; batch is 1 here.
  if (value.is_ranked) return core::Shape(value.shape.size(), 1);
  return scalar == graph::StepScalar::last_valid ? core::Shape{1} : core::Shape{};
}

/// A sliding cache may be shorter than the text; this engine's buffers hold the whole text, where the window alone is
/// the same.
int full_length_caches(graph::Graph& graph) {
  int changed = 0;
  for (graph::Node& node : graph.nodes)
    if (node.op_type == "GroupQueryAttention")
      changed += static_cast<int>(node.attributes.erase("sliding_window_cache"));
  return changed;
}

/// The node that makes the logits' numbers: the nearest matrix product before the output.
std::size_t logits_node(const graph::Graph& graph, ValueId logits) {
  const std::vector<int> producer = graph::producers(graph);
  for (ValueId at = logits; at != kAbsent;) {
    const int node = producer[static_cast<std::size_t>(at)];
    if (node < 0) break;
    const graph::Node& found = graph.nodes[static_cast<std::size_t>(node)];
    if (role_of(found.op_type) == NodeRole::projection) return static_cast<std::size_t>(node);
    at = found.inputs.empty() ? kAbsent : found.inputs.front();
  }
  return graph.nodes.size();
}

}  // namespace

std::shared_ptr<const RewrittenGraph> rewrite_for(graph::Graph graph, const Stack& stack) {
  auto result = std::make_shared<RewrittenGraph>();
  std::vector<std::string> enabled;
  for (const graph::Rewrite& known : graph::rewrites())
    if (rewrite_enabled(stack, known.name)) enabled.emplace_back(known.name);
  for (const auto& [name, count] : graph::rewrite(graph, enabled)) result->rewrites[std::string(name)] = count;
  result->rewrites["full_length_caches"] = full_length_caches(graph);
  result->graph = std::move(graph);
  return result;
}

std::vector<ops::ValueFacts> initial_facts(const graph::Graph& graph, const Bindings& bindings, const PlanSize& size) {
  std::vector<ops::ValueFacts> facts(graph.values.size(), graph::absent_facts());
  const auto set = [&](ValueId id, core::Shape shape) {
    if (id == kAbsent) return;
    facts[static_cast<std::size_t>(id)] = {graph.value(id).dtype, std::move(shape), nullptr, true};
  };
  for (std::size_t id = 0; id < graph.values.size(); ++id)
    if (graph.values[id].constant) facts[id] = graph::facts_of(*graph.values[id].constant);
  set(bindings.ids, {1, size.width});
  set(bindings.positions, {1, size.width});
  for (const CacheBinding& cache : bindings.caches)
    set(cache.past, {1, cache.shape.heads, size.capacity, cache.shape.dim});
  for (const ScalarBinding& scalar : bindings.scalars)
    set(scalar.value, scalar_shape(graph.value(scalar.value), scalar.scalar));
  return facts;
}

std::shared_ptr<const Program> make_program(std::shared_ptr<const RewrittenGraph> source,
                                            const ProgramOptions& options) {
  auto program = std::make_shared<Program>();
  program->bindings = find_bindings(source->graph);
  const graph::Graph& graph = source->graph;
  const std::size_t head = logits_node(graph, program->bindings.logits);
  std::vector<ops::ValueFacts> facts = initial_facts(graph, program->bindings, {1, kSmallestBucket});
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const graph::Node& node = graph.nodes[n];
    std::vector<ops::ValueFacts> inputs;
    for (const ValueId id : node.inputs)
      inputs.push_back(id == kAbsent ? graph::absent_facts() : facts[static_cast<std::size_t>(id)]);
    const NodeRole role = n == head ? NodeRole::lm_head : role_of(node.op_type);
    graph::BoundNode bound =
        graph::bind(graph, node, std::move(inputs), kernel_choice(options.stack, role, options.int8_activations));
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      if (node.outputs[i] != kAbsent) facts[static_cast<std::size_t>(node.outputs[i])] = bound.outputs[i];
    program->ops.push_back(std::move(bound.op));
    program->roles.push_back(role);
  }
  program->source = std::move(source);
  program->stack = options.stack;
  program->kernels = options.kernels;
  return program;
}

}  // namespace gonogo::engine
