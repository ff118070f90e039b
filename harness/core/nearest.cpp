#include "harness/core/nearest.hpp"

#include <algorithm>
#include <vector>

namespace gonogo::core {
namespace {

// Optimal string alignment distance, three rows at a time.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  std::size_t best = std::clamp<std::size_t>(word.size() / 3, 1, 3) + 1;
  std::string found;
  for (const std::string& candidate : candidates) {
    const std::size_t d = distance(word.substr(0, 64), candidate);
    if (d < best) best = d, found = candidate;
  }
  return found;
}

}  // namespace gonogo::core
