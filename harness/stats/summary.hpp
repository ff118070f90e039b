// Order statistics and moments of a sample. Undefined is nullopt, never 0 or NaN.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace gonogo::stats {

/// Percentiles by linear interpolation between closest ranks (Hyndman and Fan, type 7). Throws LogicError on a
/// non-finite value.
struct Summary {
  std::size_t n = 0;
  std::optional<double> min, p10, median, p90, max, mean;
  std::optional<double> stddev;  // n - 1 in the denominator; nullopt below two values, or when it exceeds a double
};
[[nodiscard]] Summary summarize(std::span<const double> values);

/// The value below which `fraction` (0 to 1) of the sample lies, type 7; nullopt for an empty sample.
[[nodiscard]] std::optional<double> percentile(std::span<const double> values, double fraction);
[[nodiscard]] std::optional<double> median(std::span<const double> values);

/// Theil-Sen: the median of the slopes between all pairs with different x; nullopt below two such points.
[[nodiscard]] std::optional<double> theil_sen_slope(std::span<const double> x, std::span<const double> y);
/// Median of y - slope * x.
[[nodiscard]] std::optional<double> theil_sen_intercept(std::span<const double> x, std::span<const double> y);

}  // namespace gonogo::stats
