#include "harness/stats/summary.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "harness/core/error.hpp"
#include "tests/catch.hpp"

using namespace gonogo;
using stats::summarize;

TEST_CASE("an empty sample has no statistic at all", "[stats]") {
  const auto summary = summarize({});
  CHECK(summary.n == 0);
  CHECK_FALSE(summary.min.has_value());
  CHECK_FALSE(summary.p10.has_value());
  CHECK_FALSE(summary.median.has_value());
  CHECK_FALSE(summary.p90.has_value());
  CHECK_FALSE(summary.max.has_value());
  CHECK_FALSE(summary.mean.has_value());
  CHECK_FALSE(summary.stddev.has_value());
  CHECK_FALSE(stats::median({}).has_value());
}

TEST_CASE("one value is its own order statistics and has no deviation", "[stats]") {
  const auto summary = summarize(std::vector<double>{3.5});
  CHECK(summary.n == 1);
  CHECK(summary.min == 3.5);
  CHECK(summary.median == 3.5);
  CHECK(summary.p90 == 3.5);
  CHECK(summary.mean == 3.5);
  CHECK_FALSE(summary.stddev.has_value());
}

TEST_CASE("percentiles interpolate between closest ranks, in any order of input", "[stats]") {
  const auto summary = summarize(std::vector<double>{40, 10, 20, 30});
  CHECK(summary.min == 10.0);
  CHECK(*summary.p10 == Approx(13.0));  // rank 0.3
  CHECK(*summary.median == Approx(25.0));
  CHECK(*summary.p90 == Approx(37.0));  // rank 2.7
  CHECK(summary.max == 40.0);
  CHECK(*summary.mean == Approx(25.0));
  CHECK(*summary.stddev == Approx(std::sqrt(500.0 / 3)));
}

TEST_CASE("equal values deviate by exactly zero", "[stats]") {
  for (const double value : {0.1, 1e9, 1e-300, -7.3})
    for (const std::size_t n : {2U, 3U, 17U}) {
      const auto summary = summarize(std::vector<double>(n, value));
      CHECK(summary.stddev == 0.0);
      CHECK(summary.mean == value);
    }
}

TEST_CASE("a tiny spread on a large offset is neither lost nor negative", "[stats]") {
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back(i % 2 == 0 ? 1e9 : 1e9 + 1e-7);  // 1e-7 rounds to one unit, 1.19e-7
  const double step = values[1] - values[0];
  REQUIRE(step > 0);
  CHECK(*summarize(values).stddev == Approx(step / 2 * std::sqrt(1000.0 / 999)).epsilon(1e-9));
}

TEST_CASE("the mean of a sample lies inside it", "[stats]") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(0.1, 0.1000001);
  std::vector<double> values(101);
  for (double& value : values) value = uniform(random);
  const auto summary = summarize(values);
  CHECK(*summary.mean >= *summary.min);
  CHECK(*summary.mean <= *summary.max);
}

TEST_CASE("huge values do not overflow the order statistics", "[stats]") {
  const double huge = 1.7e308;
  const auto summary = summarize(std::vector<double>{-huge, huge});
  CHECK(summary.median == 0.0);
  CHECK(summary.mean == 0.0);
  CHECK_FALSE(summary.stddev.has_value());  // beyond a double: absent, not infinite
}

TEST_CASE("a non-finite value is a broken promise, not a statistic", "[stats]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, inf, -inf}) {
    CHECK_THROWS_AS(summarize(std::vector<double>{1, bad, 2}), core::LogicError);
    CHECK_THROWS_AS(stats::median(std::vector<double>{bad}), core::LogicError);
    CHECK_THROWS_AS(stats::theil_sen_slope(std::vector<double>{1, 2}, std::vector<double>{1, bad}), core::LogicError);
  }
}
