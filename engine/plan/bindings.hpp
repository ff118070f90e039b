// Which graph inputs and outputs are which: found by the edges they lie on, by name only where edges cannot tell.
#pragma once

#include <vector>

#include "engine/graph/graph.hpp"
#include "engine/kv/cache.hpp"

namespace gonogo::engine {

/// A cache buffer: where the graph reads it, where it writes it, and its shape without the capacity.
struct CacheBinding {
  graph::ValueId past = graph::kAbsent;
  graph::ValueId present = graph::kAbsent;
  KvShape shape;
};

/// Where a step scalar of the folded mask goes.
struct ScalarBinding {
  graph::ValueId value = graph::kAbsent;
  graph::StepScalar scalar = graph::StepScalar::none;
};

struct Bindings {
  graph::ValueId ids = graph::kAbsent;
  graph::ValueId positions = graph::kAbsent;  // absent when the graph has no such input
  graph::ValueId mask = graph::kAbsent;       // an input nobody reads, once the mask is folded
  graph::ValueId logits = graph::kAbsent;
  std::vector<CacheBinding> caches;  // in node order: key, value, key, value...
  std::vector<ScalarBinding> scalars;
};

/// Throws core::InputError naming the input or output that this engine cannot feed or read: another use of the
/// attention mask, an input of unknown purpose, a cache without a fixed shape or without its present, no logits.
[[nodiscard]] Bindings find_bindings(const graph::Graph& graph);

}  // namespace gonogo::engine
