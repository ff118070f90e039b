#include "harness/stats/power.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "harness/core/error.hpp"
#include "harness/stats/sign_flip.hpp"
#include "tests/catch.hpp"

using namespace gonogo;
using namespace gonogo::stats;

TEST_CASE("the fewest pairs and values a side that can fire at the corrected level of 5 %", "[stats]") {
  // 2^(1 - n) and 2 / C(2 n, n) against 0.05 / rows.
  struct Case {
    double rows;
    std::size_t a_side, pairs;
  };
  for (const auto& [rows, a_side, pairs] : {Case{1, 4, 6}, Case{10, 6, 9}, Case{50, 7, 11}, Case{100, 8, 12}}) {
    CHECK(fewest_a_side(0.05 / rows) == a_side);
    CHECK(fewest_pairs(0.05 / rows) == pairs);
  }
  CHECK(fewest_pairs(0.05, Alternative::greater) == 5);
}

TEST_CASE("a plan that can never fire says what would", "[stats]") {
  const auto three = reach_of({.n = 3});  // a test of three blocks, as one tool shipped it
  CHECK_FALSE(three.can_fire);
  CHECK(three.smallest_p == 0.25);
  CHECK(three.needed == 6);
  CHECK(reach_of({.n = 6}).can_fire);
  const auto many = reach_of({.n = 8, .rows = 50});
  CHECK(many.level == 0.001);
  CHECK_FALSE(many.can_fire);
  CHECK(many.needed == 11);
  CHECK(reach_of({.n = 11, .rows = 50}).can_fire);
  CHECK_FALSE(reach_of({.test = PlannedTest::rank_sum, .n = 3}).can_fire);
  CHECK(reach_of({.test = PlannedTest::rank_sum, .n = 4}).can_fire);
  CHECK_FALSE(reach_of({.n = 0}).can_fire);
  CHECK_THROWS_AS(reach_of({.n = 6, .rows = 0}), core::LogicError);
}

TEST_CASE("the minimum detectable effect follows Student's quantiles", "[stats]") {
  // n = 10, two strata: 8 degrees of freedom, t[0.975] = 2.306, t[0.8] = 0.889.
  CHECK(*minimum_detectable_effect(0.02, 10) == Approx((2.306 + 0.889) * 0.02 / std::sqrt(10.0)).epsilon(1e-3));
  CHECK(*minimum_detectable_effect(0.04, 10) == Approx(2 * *minimum_detectable_effect(0.02, 10)));
  CHECK(*minimum_detectable_effect(0.02, 10, {.level = 0.005}) > *minimum_detectable_effect(0.02, 10));
  CHECK_FALSE(minimum_detectable_effect(0.02, 5).has_value());  // 5 blocks never reach 5 %
  CHECK_FALSE(minimum_detectable_effect(0.02, 8, {.level = 0.001}).has_value());
  CHECK(*minimum_detectable_effect(0, 10) == 0.0);
}

TEST_CASE("the blocks to detect an effect are the fewest that do", "[stats]") {
  const auto n = *blocks_to_detect(0.03, 0.01);
  CHECK(*minimum_detectable_effect(0.03, n) <= 0.01);
  CHECK(*minimum_detectable_effect(0.03, n - 1) > 0.01);
  CHECK(n > 70);  // 7.85 (0.03 / 0.01)^2 with normal quantiles
  CHECK(n < 76);
  CHECK(*blocks_to_detect(0, 0.01) == 6);
  CHECK(*blocks_to_detect(1e-6, 0.01, {.level = 0.001}) == 11);
  CHECK_FALSE(blocks_to_detect(1, 1e-6).has_value());
}

TEST_CASE("an effect of the minimum detectable size is detected about four times in five", "[stats]") {
  std::mt19937_64 random(53);
  std::normal_distribution<double> noise(0, 0.02);
  const std::size_t n = 12;
  const double effect = *minimum_detectable_effect(0.02, n);
  int found = 0, found_half = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    std::vector<double> blocks(n);
    for (double& block : blocks) block = noise(random) + effect;
    found += sign_flip(blocks)->p <= 0.05 ? 1 : 0;
    for (double& block : blocks) block -= effect / 2;
    found_half += sign_flip(blocks)->p <= 0.05 ? 1 : 0;
  }
  CHECK(found > 760);
  CHECK(found < 860);
  CHECK(found_half < 450);
}
