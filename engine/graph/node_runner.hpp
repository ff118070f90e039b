// Nodes of the graph made into operators and run one at a time: for folding constants and for interpreting small
// graphs.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "engine/graph/graph.hpp"
#include "engine/ops/op.hpp"
#include "harness/core/allocation.hpp"

namespace gonogo::graph {

/// A node bound to what is known of its inputs.
struct BoundNode {
  std::unique_ptr<ops::Op> op;
  std::vector<ops::ValueFacts> inputs;   // one per node input
  std::vector<ops::ValueFacts> outputs;  // one per node output, as infer() says
};

/// Facts of an absent optional input.
[[nodiscard]] ops::ValueFacts absent_facts();
/// Facts of a constant, or of any tensor whose values are at hand.
[[nodiscard]] ops::ValueFacts facts_of(const core::Tensor& tensor);

/// Makes the operator and infers its outputs. Throws core::InputError naming the node.
[[nodiscard]] BoundNode bind(const Graph& graph, const Node& node, std::vector<ops::ValueFacts> inputs,
                             const ops::KernelChoice& choice);

/// Runs it with outputs and workspace allocated into `buffers`. Absent inputs have null data and shape {0}; an output
/// that nobody wants gets storage too. Returns one tensor per node output.
[[nodiscard]] std::vector<core::Tensor> run(const BoundNode& bound, std::span<const core::Tensor> inputs,
                                            kernels::Threads threads, std::deque<core::HostBuffer>& buffers);

/// "node NAME (domain.Op)", as messages name it.
[[nodiscard]] std::string place_of(const Node& node);

}  // namespace gonogo::graph
