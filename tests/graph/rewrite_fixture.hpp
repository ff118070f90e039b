// Graphs for the rewrite tests, and shorthands to look into them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "engine/graph/graph.hpp"
#include "tests/onnx/proto_builder.hpp"

namespace gonogo::tests {

/// Built from a file that is gone afterwards: what tensors point into must be kept alive by the graph.
inline graph::Graph built(const ModelBuilder& builder) {
  const TempFolder folder;
  return graph::build(onnx::load(folder.write("model.onnx", builder.bytes())));
}

/// Applies one rewrite and checks that the graph is whole; returns the count.
inline int apply(graph::Graph& graph, const std::string& name) {
  const std::vector<std::string> enabled{name};
  for (const graph::RewriteCount& count : graph::rewrite(graph, enabled))
    if (count.name == name) return count.count;
  return -1;
}

inline int count_of(const graph::Graph& graph, const std::string& op_type) {
  return static_cast<int>(std::count_if(graph.nodes.begin(), graph.nodes.end(),
                                        [&](const graph::Node& node) { return node.op_type == op_type; }));
}

/// The value of this name; throws when there is none.
inline const graph::Value& value_of(const graph::Graph& graph, const std::string& name) {
  return *std::find_if(graph.values.begin(), graph.values.end(),
                       [&](const graph::Value& value) { return value.name == name; });
}

}  // namespace gonogo::tests
