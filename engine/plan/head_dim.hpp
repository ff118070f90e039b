// The head size of a GroupQueryAttention whose caches do not declare it: some builder versions leave it a symbol.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/graph/graph.hpp"

namespace gonogo::engine {

/// Width of the query over its heads (a packed query holds the key and value heads too), found by following the edges
/// back to the projection. Nothing when the edges pass through an operator whose last extent is not written in the
/// graph, or when the heads do not divide the width.
[[nodiscard]] std::optional<std::int64_t> head_dim_of(const graph::Graph& graph, const graph::Node& attention);

}  // namespace gonogo::engine
