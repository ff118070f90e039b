#include "harness/stats/bootstrap.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "harness/stats/finite.hpp"
#include "harness/stats/random.hpp"
#include "harness/stats/summary.hpp"

namespace gonogo::stats {
namespace {

// Reorders `values`; the same number as median() without sorting all of it.
double quick_median(std::vector<double>& values) {
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  if (values.size() % 2 == 1) return *upper;
  const double lower = *std::max_element(values.begin(), upper);
  return lower * 0.5 + *upper * 0.5;
}

}  // namespace

std::optional<Interval> bootstrap_median(std::span<const double> values, const BootstrapOptions& options) {
  GONOGO_EXPECT(options.confidence > 0 && options.confidence < 1, fmt::format("confidence {}", options.confidence));
  GONOGO_EXPECT(options.resamples >= 100, fmt::format("{} resamples", options.resamples));
  GONOGO_EXPECT(values.size() < (std::uint64_t{1} << 32), fmt::format("{} values", values.size()));
  expect_finite(values);
  if (values.size() < kFewestForInterval) return std::nullopt;
  std::mt19937_64 random(options.seed);
  std::vector<double> resample(values.size());
  std::vector<double> medians(options.resamples);
  for (double& result : medians) {
    for (double& value : resample) value = values[draw(random, values.size())];
    result = quick_median(resample);
  }
  const double tail = (1 - options.confidence) / 2;
  return Interval{*percentile(medians, tail), *percentile(medians, 1 - tail)};
}

}  // namespace gonogo::stats
