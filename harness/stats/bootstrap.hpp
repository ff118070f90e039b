// An interval beside a median: percentile bootstrap, reproducible from its seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace gonogo::stats {

struct Interval {
  double low = 0;
  double high = 0;
};

struct BootstrapOptions {
  double confidence = 0.95;
  std::size_t resamples = 2000;
  std::uint64_t seed = 1;
};

/// Below this many values no 95 % interval of a median exists (the two extremes of five values cover 93.75 % at most).
inline constexpr std::size_t kFewestForInterval = 6;

/// The interval holding the middle `confidence` of the medians of resamples; nullopt below kFewestForInterval values.
/// The same values, options and seed give the same interval on every machine. Throws LogicError on a non-finite value.
[[nodiscard]] std::optional<Interval> bootstrap_median(std::span<const double> values,
                                                       const BootstrapOptions& options = {});

}  // namespace gonogo::stats
