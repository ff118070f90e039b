// A model under one stack of levers: the rewritten graph, an operator with its chosen kernel for each node, the
// bindings. Independent of width and capacity; plans are made from it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/graph/graph.hpp"
#include "engine/levers/stack.hpp"
#include "engine/ops/op.hpp"
#include "engine/plan/bindings.hpp"

namespace gonogo::engine {

/// A graph after the rewrites of a stack, and how often each applied.
struct RewrittenGraph {
  graph::Graph graph;
  std::map<std::string, int> rewrites;
};

/// Applies the rewrites that the stack enables.
[[nodiscard]] std::shared_ptr<const RewrittenGraph> rewrite_for(graph::Graph graph, const Stack& stack);

struct Program {
  std::shared_ptr<const RewrittenGraph> source;
  Bindings bindings;
  std::vector<std::shared_ptr<const ops::Op>> ops;  // one per node

  [[nodiscard]] const graph::Graph& graph() const { return source->graph; }
};

struct ProgramOptions {
  Stack stack;
  bool int8_activations = false;
};

/// Makes every operator with the kernels that the stack chooses.
/// Throws core::InputError naming the node that is unsupported or does not fit.
[[nodiscard]] std::shared_ptr<const Program> make_program(std::shared_ptr<const RewrittenGraph> source,
                                                          const ProgramOptions& options);

/// Where a plan's shapes come from.
struct PlanSize {
  std::int64_t width = 1;     // rows, M
  std::int64_t capacity = 1;  // of the KV bucket
};

/// Facts of every value before a node has run: constants, inputs at this size, step scalars; the rest is absent.
[[nodiscard]] std::vector<ops::ValueFacts> initial_facts(const graph::Graph& graph, const Bindings& bindings,
                                                         const PlanSize& size);

}  // namespace gonogo::engine
