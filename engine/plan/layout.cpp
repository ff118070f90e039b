#include "engine/plan/layout.hpp"

#include <algorithm>
#include <numeric>

namespace gonogo::engine {
namespace {

std::size_t rounded(std::size_t bytes) { return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment; }

bool alive_together(const Extent& a, const Extent& b) { return a.first <= b.last && b.first <= a.last; }

}  // namespace

Layout lay_out(std::span<const Extent> extents) {
  std::vector<std::size_t> order(extents.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return extents[a].bytes > extents[b].bytes; });

  Layout layout;
  layout.offsets.resize(extents.size());
  std::vector<std::size_t> placed;  // by offset
  for (const std::size_t i : order) {
    const std::size_t bytes = rounded(extents[i].bytes);
    std::size_t at = 0;
    for (const std::size_t other : placed) {
      if (!alive_together(extents[i], extents[other])) continue;
      if (at + bytes <= layout.offsets[other]) break;
      at = std::max(at, layout.offsets[other] + rounded(extents[other].bytes));
    }
    layout.offsets[i] = at;
    layout.bytes = std::max(layout.bytes, at + bytes);
    const auto where = std::upper_bound(placed.begin(), placed.end(), at, [&](std::size_t offset, std::size_t other) {
      return offset < layout.offsets[other];
    });
    placed.insert(where, i);
  }
  return layout;
}

}  // namespace gonogo::engine
