#include "harness/stats/binomial.hpp"

#include <cmath>
#include <cstdint>

#include "harness/core/error.hpp"
#include "tests/catch.hpp"

using namespace gonogo;
using namespace gonogo::stats;

namespace {
// P(X >= k) by summing the binomial probabilities one by one.
double at_least(std::uint64_t k, std::uint64_t n, double rate) {
  double sum = 0, log_ways = 0;  // of choosing i among n
  for (std::uint64_t i = 0; i <= n; ++i) {
    const double successes = static_cast<double>(i), failures = static_cast<double>(n - i);
    if (i >= k) sum += std::exp(log_ways + successes * std::log(rate) + failures * std::log1p(-rate));
    log_ways += i < n ? std::log(failures / (successes + 1)) : 0;
  }
  return sum;
}
}  // namespace

TEST_CASE("no alarm in 20, 59 and 299 trials bounds the rate at 13.9, 5 and 1 %", "[stats]") {
  CHECK(*rate_at_most(0, 20) == Approx(1 - std::pow(0.05, 1.0 / 20)).epsilon(1e-10));
  CHECK(*rate_at_most(0, 20) == Approx(0.139).margin(5e-4));
  CHECK(*rate_at_most(0, 58) > 0.05);
  CHECK(*rate_at_most(0, 59) <= 0.05);
  CHECK(*rate_at_most(0, 298) > 0.01);
  CHECK(*rate_at_most(0, 299) <= 0.01);
}

TEST_CASE("the Clopper-Pearson bounds are the rates at which the tails have their share", "[stats]") {
  for (const auto& [k, n] : {std::pair<std::uint64_t, std::uint64_t>{1, 7}, {5, 10}, {3, 200}, {190, 200}, {40, 400}}) {
    const auto interval = clopper_pearson(k, n);
    CAPTURE(k, n, interval->low, interval->high);
    CHECK(at_least(k, n, interval->low) == Approx(0.025).epsilon(1e-8));
    CHECK(1 - at_least(k + 1, n, interval->high) == Approx(0.025).epsilon(1e-8));
  }
  CHECK(clopper_pearson(5, 10)->low == Approx(0.1871).margin(5e-5));  // printed tables
  CHECK(clopper_pearson(5, 10)->high == Approx(0.8129).margin(5e-5));
}

TEST_CASE("rates of none and of all end at 0 and 1", "[stats]") {
  CHECK(clopper_pearson(0, 10)->low == 0.0);
  CHECK(clopper_pearson(10, 10)->high == 1.0);
  CHECK(*rate_at_least(10, 10) == Approx(std::pow(0.05, 0.1)));
  CHECK_FALSE(clopper_pearson(0, 0).has_value());
}

TEST_CASE("more successes than trials are refused", "[stats]") {
  CHECK_THROWS_AS(clopper_pearson(3, 2), core::LogicError);
  CHECK_THROWS_AS(rate_at_most(1, 2, 1.0), core::LogicError);
}
