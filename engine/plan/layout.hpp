// Offsets of buffers in one arena: buffers whose lifetimes do not meet may share bytes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gonogo::engine {

inline constexpr std::size_t kArenaAlignment = 64;

/// A buffer that is alive from step `first` to step `last`, both included.
struct Extent {
  std::size_t bytes = 0;
  int first = 0;
  int last = 0;
};

struct Layout {
  std::vector<std::size_t> offsets;  // one per extent, multiples of kArenaAlignment
  std::size_t bytes = 0;             // of the arena
};

/// Greedy: the largest buffer first, each at the lowest offset where it meets no buffer that is alive with it.
[[nodiscard]] Layout lay_out(std::span<const Extent> extents);

}  // namespace gonogo::engine
