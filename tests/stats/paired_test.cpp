#include "harness/stats/paired.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "harness/core/error.hpp"
#include "tests/catch.hpp"

using namespace gonogo;
using namespace gonogo::stats;

namespace {

struct Blocks {
  std::vector<double> log_ratios;
  std::vector<std::uint8_t> order;
  [[nodiscard]] PairedSample sample() const { return {log_ratios, order}; }
};

Blocks noisy_blocks(std::size_t n, double effect, double order_effect, std::mt19937_64& random) {
  std::normal_distribution<double> noise(0, 0.02);
  Blocks blocks;
  for (std::size_t i = 0; i < n; ++i) {
    blocks.order.push_back(i % 2 == 0 ? 0 : 1);
    blocks.log_ratios.push_back(effect + (i % 2 == 0 ? order_effect : -order_effect) + noise(random));
  }
  return blocks;
}

int held_of(std::size_t n, double order_effect, Center center, int trials) {
  std::mt19937_64 random(41 + n);
  int held = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const auto blocks = noisy_blocks(n, 0.05, order_effect, random);
    const auto interval = paired_interval(blocks.sample(), {.center = center, .resamples = 1000});
    held += interval->low <= 0.05 && 0.05 <= interval->high ? 1 : 0;
  }
  return held;
}

}  // namespace

TEST_CASE("a log-ratio exists only between positive finite values", "[stats]") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(*log_ratio(2, 4) == Approx(std::log(2.0)));
  CHECK(*log_ratio(4, 2) == -*log_ratio(2, 4));
  CHECK(*log_ratio(1e-200, 1e200) == Approx(400 * std::log(10.0)));  // the quotient is no double
  CHECK_FALSE(log_ratio(0, 1).has_value());
  CHECK_FALSE(log_ratio(1, 0).has_value());
  CHECK_FALSE(log_ratio(-1, -1).has_value());
  CHECK_FALSE(log_ratio(1, infinity).has_value());
  CHECK_FALSE(log_ratio(std::numeric_limits<double>::quiet_NaN(), 1).has_value());
  CHECK_FALSE(log_ratios(std::vector<double>{1, 2, 0}, std::vector<double>{1, 2, 3}).has_value());
  CHECK(log_ratios(std::vector<double>{1, 2}, std::vector<double>{1, 4})->back() == Approx(std::log(2.0)));
  CHECK_THROWS_AS(log_ratios(std::vector<double>{1}, std::vector<double>{1, 2}), core::LogicError);
}

TEST_CASE("a drift cancels in the mean of the orders and is told apart from noise", "[stats]") {
  const Blocks blocks{{0.13, 0.07, 0.13, 0.07, 0.13, 0.07, 0.13}, {0, 1, 0, 1, 0, 1, 0}};
  const auto told_apart = summarize_pairs(blocks.sample());
  CHECK(*told_apart.mean == Approx(0.10));  // though one order has a block more
  CHECK(*told_apart.order_effect == Approx(0.03));
  CHECK(*told_apart.stddev == Approx(0.0).margin(1e-12));
  CHECK(*told_apart.median == Approx(0.13));
  const auto together = summarize_pairs({blocks.log_ratios});
  CHECK(*together.mean == Approx((4 * 0.13 + 3 * 0.07) / 7));
  CHECK(*together.stddev > 0.03);
  CHECK_FALSE(together.order_effect.has_value());
}

TEST_CASE("the pooled deviation has one degree of freedom less for each order", "[stats]") {
  const Blocks blocks{{1, 3, 10, 14}, {0, 0, 1, 1}};
  CHECK(*summarize_pairs(blocks.sample()).stddev == Approx(std::sqrt((2.0 + 8.0) / 2)));
  CHECK_FALSE(summarize_pairs({std::vector<double>{1}}).stddev.has_value());
  CHECK_FALSE(summarize_pairs({}).mean.has_value());
  CHECK(summarize_pairs({}).n == 0);
}

TEST_CASE("a 95 % paired interval holds the true effect in about 95 % of samples, with and without drift", "[stats]") {
  // Three standard errors of 600 trials are 2.7 %.
  for (const std::size_t n : {8U, 20U})
    for (const double order_effect : {0.0, 0.05}) {
      const int held = held_of(n, order_effect, Center::mean, 600);
      CAPTURE(n, order_effect, held);
      CHECK(held >= 600 * 0.923);
      CHECK(held <= 600 * 0.985);
    }
  CHECK(held_of(16, 0, Center::median, 600) >= 600 * 0.923);
}

TEST_CASE("without telling the orders apart a drift makes the interval several times as wide", "[stats]") {
  std::mt19937_64 random(43);
  const auto blocks = noisy_blocks(12, 0, 0.2, random);
  const auto strict = *paired_interval(blocks.sample());
  const auto loose = *paired_interval({blocks.log_ratios});
  CHECK(loose.high - loose.low > 4 * (strict.high - strict.low));
}

TEST_CASE("the paired interval is the same for the same seed and needs six blocks, two of each order", "[stats]") {
  std::mt19937_64 random(47);
  const auto blocks = noisy_blocks(20, 0.01, 0, random);
  const auto first = *paired_interval(blocks.sample(), {.seed = 9}),
             again = *paired_interval(blocks.sample(), {.seed = 9});
  CHECK(first.low == again.low);
  CHECK(first.high == again.high);
  CHECK(first.low != paired_interval(blocks.sample(), {.seed = 10})->low);
  const std::vector<std::uint8_t> lone{0, 0, 0, 0, 0, 1};
  const auto six = std::span(blocks.log_ratios).first(6);
  CHECK(paired_interval({six}).has_value());
  CHECK_FALSE(paired_interval({six, lone}).has_value());
  CHECK_FALSE(paired_interval({std::span(blocks.log_ratios).first(5)}).has_value());
}

TEST_CASE("orders that do not fit the blocks are refused", "[stats]") {
  const std::vector<double> two{0.1, 0.2};
  CHECK_THROWS_AS(summarize_pairs({two, std::vector<std::uint8_t>{0}}), core::LogicError);
  CHECK_THROWS_AS(summarize_pairs({two, std::vector<std::uint8_t>{0, 2}}), core::LogicError);
  CHECK_THROWS_AS(summarize_pairs({std::vector<double>{std::nan("")}}), core::LogicError);
}
