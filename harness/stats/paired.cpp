#include "harness/stats/paired.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "harness/stats/distributions.hpp"
#include "harness/stats/finite.hpp"
#include "harness/stats/random.hpp"
#include "harness/stats/summary.hpp"

namespace gonogo::stats {
namespace {

struct Strata {
  std::array<std::vector<double>, 2> of;
  std::size_t used = 0;  // strata that hold a block
};

Strata split(const PairedSample& sample) {
  expect_finite(sample.log_ratios);
  GONOGO_EXPECT(sample.order.empty() || sample.order.size() == sample.log_ratios.size(),
                fmt::format("{} orders for {} blocks", sample.order.size(), sample.log_ratios.size()));
  Strata strata;
  for (std::size_t i = 0; i < sample.log_ratios.size(); ++i) {
    const std::uint8_t order = sample.order.empty() ? std::uint8_t{0} : sample.order[i];
    GONOGO_EXPECT(order < 2, fmt::format("order {} of block {}", order, i));
    strata.of[order].push_back(sample.log_ratios[i]);
  }
  for (const auto& stratum : strata.of) strata.used += stratum.empty() ? 0 : 1;
  return strata;
}

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double mean_of(const Strata& strata) {
  double sum = 0;
  for (const auto& stratum : strata.of)
    if (!stratum.empty()) sum += mean_of(stratum);
  return sum / static_cast<double>(strata.used);
}

// A resample is never written down: the mean needs its sums alone.
double resampled_mean(const Strata& strata, std::mt19937_64& random) {
  double center = 0;
  for (const auto& stratum : strata.of) {
    const std::uint64_t n = stratum.size();
    double sum = 0;
    for (std::size_t i = 0; i < n; i += 2) {  // two draws of 32 bits from one of 64
      const std::uint64_t bits = random();
      sum += stratum[((bits >> 32) * n) >> 32];
      if (i + 1 < n) sum += stratum[((bits & 0xffffffffU) * n) >> 32];
    }
    if (!stratum.empty()) center += sum / static_cast<double>(stratum.size());
  }
  return center / static_cast<double>(strata.used);
}

// percentile() without sorting: reorders `values`.
double quick_percentile(std::vector<double>& values, double fraction) {
  const double rank = static_cast<double>(values.size() - 1) * fraction;
  const auto below = values.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(values.begin(), below, values.end());
  const double low = *below;
  const double weight = rank - std::floor(rank);
  if (below + 1 == values.end()) return low;
  return low * (1 - weight) + *std::min_element(below + 1, values.end()) * weight;
}

double resampled_median(const Strata& strata, std::mt19937_64& random) {
  std::vector<double> all;
  for (const auto& stratum : strata.of)
    for (std::size_t i = 0; i < stratum.size(); ++i) all.push_back(stratum[draw(random, stratum.size())]);
  return quick_percentile(all, 0.5);
}

// The share to cut from each end: Student's quantile on the normal scale, corrected for the spread that a resample of n
// values lacks.
double expanded_tail(double confidence, std::size_t n, std::size_t strata) {
  const auto dof = static_cast<double>(n - strata);
  const double t = *student_quantile((1 - confidence) / 2, dof);
  return normal_cdf(t * std::sqrt(static_cast<double>(n) / dof));
}

}  // namespace

std::optional<double> log_ratio(double base, double candidate) {
  if (!(base > 0 && candidate > 0) || !std::isfinite(base) || !std::isfinite(candidate)) return std::nullopt;
  return std::log(candidate) - std::log(base);  // the quotient itself could overflow
}

std::optional<std::vector<double>> log_ratios(std::span<const double> base, std::span<const double> candidate) {
  GONOGO_EXPECT(base.size() == candidate.size(),
                fmt::format("{} base for {} candidate", base.size(), candidate.size()));
  std::vector<double> ratios;
  ratios.reserve(base.size());
  for (std::size_t i = 0; i < base.size(); ++i) {
    const auto ratio = log_ratio(base[i], candidate[i]);
    if (!ratio) return std::nullopt;
    ratios.push_back(*ratio);
  }
  return ratios;
}

PairedSummary summarize_pairs(const PairedSample& sample) {
  const Strata strata = split(sample);
  PairedSummary summary;
  summary.n = sample.log_ratios.size();
  if (summary.n == 0) return summary;
  summary.mean = mean_of(strata);
  summary.median = median(sample.log_ratios);
  if (summary.n > strata.used) {
    double squares = 0;
    for (const auto& stratum : strata.of) {
      if (stratum.empty()) continue;
      const double mean = mean_of(stratum);
      for (const double value : stratum) squares += (value - mean) * (value - mean);
    }
    summary.stddev = std::sqrt(squares / static_cast<double>(summary.n - strata.used));
  }
  if (strata.used == 2) summary.order_effect = (mean_of(strata.of[0]) - mean_of(strata.of[1])) / 2;
  return summary;
}

std::optional<Interval> paired_interval(const PairedSample& sample, const PairedIntervalOptions& options) {
  GONOGO_EXPECT(options.confidence > 0 && options.confidence < 1, fmt::format("confidence {}", options.confidence));
  GONOGO_EXPECT(options.resamples >= 100, fmt::format("{} resamples", options.resamples));
  GONOGO_EXPECT(sample.log_ratios.size() < (std::uint64_t{1} << 32),
                fmt::format("{} blocks", sample.log_ratios.size()));
  const Strata strata = split(sample);
  if (sample.log_ratios.size() < kFewestForInterval) return std::nullopt;
  for (const auto& stratum : strata.of)
    if (stratum.size() == 1) return std::nullopt;
  std::mt19937_64 random(options.seed);
  std::vector<double> centers(options.resamples);
  for (double& center : centers)
    center = options.center == Center::mean ? resampled_mean(strata, random) : resampled_median(strata, random);
  const double tail = expanded_tail(options.confidence, sample.log_ratios.size(), strata.used);
  return Interval{quick_percentile(centers, tail), quick_percentile(centers, 1 - tail)};
}

}  // namespace gonogo::stats
