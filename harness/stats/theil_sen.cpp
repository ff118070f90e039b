#include <cstddef>
#include <vector>

#include "harness/stats/finite.hpp"
#include "harness/stats/summary.hpp"

namespace gonogo::stats {

std::optional<double> theil_sen_slope(std::span<const double> x, std::span<const double> y) {
  GONOGO_EXPECT(x.size() == y.size(), fmt::format("{} x for {} y", x.size(), y.size()));
  expect_finite(x);
  expect_finite(y);
  std::vector<double> slopes;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = i + 1; j < x.size(); ++j)
      if (x[i] != x[j]) slopes.push_back((y[j] - y[i]) / (x[j] - x[i]));
  return median(slopes);
}

std::optional<double> theil_sen_intercept(std::span<const double> x, std::span<const double> y) {
  const auto slope = theil_sen_slope(x, y);
  if (!slope) return std::nullopt;
  std::vector<double> offsets(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) offsets[i] = y[i] - *slope * x[i];
  return median(offsets);
}

}  // namespace gonogo::stats
