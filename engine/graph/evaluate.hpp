// A generic interpreter on the CPU: every node in turn, everything concrete, nothing planned. For operator cases and
// tests.
#pragma once

#include <deque>
#include <map>
#include <string>

#include "engine/graph/graph.hpp"
#include "engine/ops/op.hpp"
#include "harness/core/allocation.hpp"

namespace gonogo::graph {

using Feeds = std::map<std::string, core::Tensor, std::less<>>;

struct Evaluation {
  std::map<std::string, core::Tensor> outputs;  // by name; data in `buffers`, in the feeds or in the graph's constants
  std::deque<core::HostBuffer> buffers;
};

struct EvaluateOptions {
  ops::KernelChoice choice;
  kernels::Threads threads;
};

/// Runs the graph. A graph whose mask was folded cannot be run here: its step scalars have no feed.
/// Throws core::InputError naming the node or the feed: an unsupported operator, shapes that do not fit, a missing or
/// unknown feed, or one of another type, rank or fixed extent; an output of another type than declared.
[[nodiscard]] Evaluation evaluate(const Graph& graph, const Feeds& feeds, const EvaluateOptions& options);

}  // namespace gonogo::graph
