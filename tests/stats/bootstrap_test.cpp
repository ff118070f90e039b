#include "harness/stats/bootstrap.hpp"

#include <random>
#include <vector>

#include "harness/core/error.hpp"
#include "harness/stats/summary.hpp"
#include "tests/catch.hpp"

using namespace gonogo;
using stats::bootstrap_median;

namespace {
std::vector<double> normal_sample(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(10.0, 1.0);
  std::vector<double> values(n);
  for (double& value : values) value = normal(random);
  return values;
}
}  // namespace

TEST_CASE("a bootstrap interval is the same for the same seed and not for another", "[stats]") {
  const auto values = normal_sample(30, 3);
  const auto first = bootstrap_median(values, {.seed = 5});
  const auto again = bootstrap_median(values, {.seed = 5});
  CHECK(first->low == again->low);
  CHECK(first->high == again->high);
  bool differs = false;
  for (std::uint64_t seed = 6; seed < 12; ++seed) {
    const auto other = bootstrap_median(values, {.seed = seed});
    differs = differs || other->low != first->low || other->high != first->high;
  }
  CHECK(differs);
}

TEST_CASE("five values are too few for an interval, six are not", "[stats]") {
  CHECK_FALSE(bootstrap_median(normal_sample(5, 1)).has_value());
  CHECK(bootstrap_median(normal_sample(6, 1)).has_value());
}

TEST_CASE("a sample without spread has an interval without width", "[stats]") {
  const auto interval = bootstrap_median(std::vector<double>(8, 0.3));
  CHECK(interval->low == 0.3);
  CHECK(interval->high == 0.3);
}

TEST_CASE("a 95 % interval holds the true median in about 95 % of samples", "[stats]") {
  int held = 0;
  const int trials = 400;
  for (int trial = 0; trial < trials; ++trial) {
    const auto values = normal_sample(25, 100 + static_cast<std::uint64_t>(trial));
    const auto interval = bootstrap_median(values, {.resamples = 400});
    CHECK(interval->low <= *stats::median(values));
    CHECK(interval->high >= *stats::median(values));
    if (interval->low <= 10.0 && interval->high >= 10.0) ++held;
  }
  // Four binomial standard deviations of 400 trials at 0.95 are 4.4 %: the window 0.89 to 0.995 fails for a wrong tail.
  CHECK(held >= trials * 0.89);
  CHECK(held <= trials * 0.995);
}

TEST_CASE("a higher confidence gives a wider interval", "[stats]") {
  const auto values = normal_sample(40, 9);
  const auto narrow = bootstrap_median(values, {.confidence = 0.5});
  const auto wide = bootstrap_median(values, {.confidence = 0.99});
  CHECK(wide->low < narrow->low);
  CHECK(wide->high > narrow->high);
  CHECK_THROWS_AS(bootstrap_median(values, {.confidence = 1.0}), core::LogicError);
}
