#include "engine/graph/rewrites.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "engine/graph/graph.hpp"
#include "harness/core/error.hpp"

namespace gonogo::graph {
namespace {

constexpr std::array kRewrites{
    Rewrite{"fold_constants", fold_constants},
    Rewrite{"fold_reshaped_initializers", fold_reshaped_initializers},
    Rewrite{"fold_mask", fold_mask},
    Rewrite{"dequantize_matmul", dequantize_matmul},
    Rewrite{"fold_dequantized", fold_dequantized},
    Rewrite{"fuse_bias", fuse_bias},
    Rewrite{"fuse_swiglu", fuse_swiglu},
    Rewrite{"remove_dead", remove_dead},
};

}  // namespace

std::span<const Rewrite> rewrites() { return kRewrites; }

std::vector<RewriteCount> rewrite(Graph& graph, std::span<const std::string> enabled) {
  for (const std::string& name : enabled)
    if (std::none_of(kRewrites.begin(), kRewrites.end(), [&](const Rewrite& known) { return known.name == name; })) {
      std::vector<std::string_view> names;
      for (const Rewrite& known : kRewrites) names.push_back(known.name);
      throw core::UsageError(fmt::format("no rewrite is called \"{}\"; there are {}", name, fmt::join(names, ", ")));
    }
  std::vector<RewriteCount> counts;
  for (const Rewrite& known : kRewrites) {
    const bool is_on = std::find(enabled.begin(), enabled.end(), known.name) != enabled.end();
    counts.push_back({known.name, is_on ? known.apply(graph) : 0});
  }
  check(graph);
  return counts;
}

std::vector<RewriteCount> rewrite(Graph& graph) {
  std::vector<std::string> all;
  for (const Rewrite& known : kRewrites) all.emplace_back(known.name);
  return rewrite(graph, all);
}

int remove_nodes(Graph& graph, const std::vector<bool>& is_dropped) {
  std::vector<Node> kept;
  kept.reserve(graph.nodes.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    if (!is_dropped[n]) kept.push_back(std::move(graph.nodes[n]));
  const int removed = static_cast<int>(graph.nodes.size() - kept.size());
  graph.nodes = std::move(kept);
  return removed;
}

int remove_dead(Graph& graph) {
  std::vector<int> readers = consumer_counts(graph);
  std::vector<bool> is_dropped(graph.nodes.size(), false);
  for (std::size_t n = graph.nodes.size(); n-- > 0;) {
    const Node& node = graph.nodes[n];
    const auto is_read = [&](ValueId output) {
      return output != kAbsent && readers[static_cast<std::size_t>(output)] > 0;
    };
    if (std::any_of(node.outputs.begin(), node.outputs.end(), is_read)) continue;
    is_dropped[n] = true;
    for (const ValueId input : node.inputs)
      if (input != kAbsent) --readers[static_cast<std::size_t>(input)];
  }
  return remove_nodes(graph, is_dropped);
}

}  // namespace gonogo::graph
