#include "harness/stats/multiple.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "harness/core/error.hpp"

namespace gonogo::stats {
namespace {

std::vector<std::size_t> ascending(std::span<const double> p_values) {
  for (std::size_t i = 0; i < p_values.size(); ++i)
    GONOGO_EXPECT(p_values[i] >= 0 && p_values[i] <= 1, fmt::format("p-value {} is {}", i, p_values[i]));
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  return order;
}

}  // namespace

std::vector<double> holm(std::span<const double> p_values) {
  const auto order = ascending(p_values);
  std::vector<double> adjusted(p_values.size());
  double largest = 0;  // a later one is never adjusted below an earlier one
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    largest = std::max(largest, static_cast<double>(order.size() - rank) * p_values[order[rank]]);
    adjusted[order[rank]] = std::min(1.0, largest);
  }
  return adjusted;
}

std::vector<double> benjamini_hochberg(std::span<const double> p_values) {
  const auto order = ascending(p_values);
  std::vector<double> adjusted(p_values.size());
  double smallest = 1;  // an earlier one is never adjusted above a later one
  for (std::size_t rank = order.size(); rank-- > 0;) {
    const double scale = static_cast<double>(order.size()) / static_cast<double>(rank + 1);
    smallest = std::min(smallest, scale * p_values[order[rank]]);
    adjusted[order[rank]] = smallest;
  }
  return adjusted;
}

}  // namespace gonogo::stats
