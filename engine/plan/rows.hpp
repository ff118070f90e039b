// Which nodes need only the last row when nobody asks for the others: a prompt of 4096 tokens wants one row of logits.
#pragma once

#include <functional>
#include <vector>

#include "engine/graph/graph.hpp"

namespace gonogo::engine {

/// Marks nodes whose results reach nothing but `logits` and that treat each row by itself, so that running them on the
/// last row gives the last row of what they would give on all: everything after the last attention, in a decoder.
/// `has_rows` says whether a value is laid out [1, rows, ...].
[[nodiscard]] std::vector<bool> last_row_nodes(const graph::Graph& graph, graph::ValueId logits,
                                               const std::function<bool(graph::ValueId)>& has_rows);

}  // namespace gonogo::engine
