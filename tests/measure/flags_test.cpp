#include "harness/measure/flags.hpp"

#include <vector>

#include "tests/catch.hpp"

using namespace gonogo;
using measure::flag_samples;

namespace {
const measure::TimerFloor kFine{.resolution_ns = 1, .read_ns = 20};

std::size_t outliers(const std::vector<double>& ms) {
  std::size_t count = 0;
  for (const auto& flags : flag_samples(ms, kFine)) count += flags == std::vector<std::string>{measure::kOutlier};
  return count;
}
}  // namespace

TEST_CASE("an outlier needs a robust score and a practical size", "[measure]") {
  std::vector<double> steady;
  for (int i = 0; i < 100; ++i) steady.push_back(0.600 + 0.0001 * (i % 11 - 5));
  CHECK(outliers(steady) == 0);
  steady.push_back(0.89);
  CHECK(outliers(steady) == 1);
  CHECK(flag_samples(steady, kFine).back() == std::vector<std::string>{measure::kOutlier});
  std::vector<double> equal(100, 1.0);
  equal.push_back(1.000001);  // infinitely many deviations away, and harmless
  CHECK(outliers(equal) == 0);
  equal.push_back(1.2);
  CHECK(outliers(equal) == 1);
}

TEST_CASE("a wide spread has no outliers", "[measure]") {
  std::vector<double> wide;
  for (int i = 1; i <= 50; ++i) wide.push_back(i);
  CHECK(outliers(wide) == 0);
}

TEST_CASE("a sample near the resolution of the timer is marked", "[measure]") {
  const measure::TimerFloor coarse{.resolution_ns = 500, .read_ns = 30};
  const auto flags = flag_samples(std::vector<double>{0.0, 0.0099, 0.01, 5.0}, coarse, {.score = 1e9});
  CHECK(flags[0] == std::vector<std::string>{measure::kBelowTimerFloor});
  CHECK(flags[1] == std::vector<std::string>{measure::kBelowTimerFloor});
  CHECK(flags[2].empty());
  CHECK(flags[3].empty());
  CHECK(flag_samples({}, coarse).empty());
}

TEST_CASE("drift compares the medians of the first point then and again", "[measure]") {
  CHECK(*measure::drift(std::vector<double>{2, 2, 9}, std::vector<double>{2.2, 2.2, 1}) == Approx(0.1));
  CHECK_FALSE(measure::drift({}, std::vector<double>{1}).has_value());
  CHECK_FALSE(measure::drift(std::vector<double>{1}, {}).has_value());
  CHECK_FALSE(measure::drift(std::vector<double>{0}, std::vector<double>{1}).has_value());
}

TEST_CASE("spread is relative to the median and undefined for zero", "[measure]") {
  CHECK(*measure::relative_spread(std::vector<double>{10, 10, 10}) == 0.0);
  CHECK(*measure::relative_spread(std::vector<double>{1, 2, 3}) == Approx(0.8));
  CHECK_FALSE(measure::relative_spread(std::vector<double>{0, 0}).has_value());
  CHECK_FALSE(measure::relative_spread({}).has_value());
}
