#include "harness/stats/summary.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/stats/finite.hpp"

namespace gonogo::stats {
namespace {

std::vector<double> sorted_copy(std::span<const double> values) {
  expect_finite(values);
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// Rank (n - 1) * fraction of an ascending, non-empty sample.
double at_fraction(std::span<const double> sorted, double fraction) {
  const double rank = static_cast<double>(sorted.size() - 1) * fraction;
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  if (sorted[below] == sorted[above]) return sorted[below];
  const double weight = rank - static_cast<double>(below);
  // Two products rather than a difference: the ends of a huge range must not overflow.
  return sorted[below] * (1 - weight) + sorted[above] * weight;
}

struct Moments {
  double mean = 0;
  double squares = 0;  // sum of squared deviations from the mean
};

// Two passes about the smallest value, in long double: a small spread on a large offset keeps its digits.
Moments moments_of(std::span<const double> sorted) {
  const long double origin = sorted.front();
  long double sum = 0;
  for (const double value : sorted) sum += value - origin;
  const long double mean = sum / static_cast<long double>(sorted.size());
  long double squares = 0, residual = 0;
  for (const double value : sorted) {
    const long double deviation = value - origin - mean;
    squares += deviation * deviation;
    residual += deviation;
  }
  squares -= residual * residual / static_cast<long double>(sorted.size());  // what the rounded mean left over
  const double exact_mean = std::clamp(static_cast<double>(origin + mean), sorted.front(), sorted.back());
  return {exact_mean, std::max(0.0, static_cast<double>(squares))};
}

}  // namespace

Summary summarize(std::span<const double> values) {
  Summary summary;
  summary.n = values.size();
  if (values.empty()) return summary;
  const auto sorted = sorted_copy(values);
  const Moments moments = moments_of(sorted);
  summary.min = sorted.front();
  summary.p10 = at_fraction(sorted, 0.1);
  summary.median = at_fraction(sorted, 0.5);
  summary.p90 = at_fraction(sorted, 0.9);
  summary.max = sorted.back();
  summary.mean = moments.mean;
  if (sorted.size() >= 2) {
    const double stddev = std::sqrt(moments.squares / static_cast<double>(sorted.size() - 1));
    if (std::isfinite(stddev)) summary.stddev = stddev;
  }
  return summary;
}

std::optional<double> percentile(std::span<const double> values, double fraction) {
  GONOGO_EXPECT(fraction >= 0 && fraction <= 1, fmt::format("fraction {}", fraction));
  if (values.empty()) return std::nullopt;
  return at_fraction(sorted_copy(values), fraction);
}

std::optional<double> median(std::span<const double> values) { return percentile(values, 0.5); }

}  // namespace gonogo::stats
