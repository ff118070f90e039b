// A model under one stack of levers: the rewritten graph, an operator with its chosen kernel for each node, the
// bindings. Independent of width and capacity; plans are made from it.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/graph/graph.hpp"
#include "engine/levers/choice.hpp"
#include "engine/ops/op.hpp"
#include "engine/plan/bindings.hpp"
#include "harness/core/eligibility.hpp"

namespace gonogo::engine {

/// A graph after the rewrites of a stack, and how often each applied.
struct RewrittenGraph {
  graph::Graph graph;
  std::map<std::string, int> rewrites;
};

/// Applies the rewrites that the stack enables.
[[nodiscard]] std::shared_ptr<const RewrittenGraph> rewrite_for(graph::Graph graph, const Stack& stack);

struct Program;

/// What a plan says of the kernel of one step.
struct StepKernelFacts {
  std::string kernel;               // "int4_matmul.mma"
  std::size_t workspace_bytes = 0;  // taken from the plan's workspace, 256-byte aligned
  core::Eligibility capture;        // whether the kernel can be recorded
};

/// Operands of a step as a backend chooses its kernel by them.
struct StepFacts {
  std::span<const ops::ValueFacts> inputs;
  std::span<const ops::ValueFacts> outputs;
};

/// A backend's choice of kernels; the same answer for the same question, always.
class KernelSource {
 public:
  virtual ~KernelSource() = default;
  /// For node `n` of the program. Throws core::InputError at the node when no kernel of the backend runs it.
  [[nodiscard]] virtual StepKernelFacts choose(const Program& program, std::size_t n, const StepFacts& facts) const = 0;
};

struct Program {
  std::shared_ptr<const RewrittenGraph> source;
  Bindings bindings;
  std::vector<std::shared_ptr<const ops::Op>> ops;  // one per node: rules and shapes, and the CPU's kernels
  std::vector<NodeRole> roles;                      // one per node
  Stack stack;
  std::shared_ptr<const KernelSource> kernels;  // null: the operators' own

  [[nodiscard]] const graph::Graph& graph() const { return source->graph; }
};

struct ProgramOptions {
  Stack stack;
  bool int8_activations = false;
  std::shared_ptr<const KernelSource> kernels = nullptr;
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
