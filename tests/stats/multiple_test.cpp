#include "harness/stats/multiple.hpp"

#include <limits>
#include <random>
#include <vector>

#include "harness/core/error.hpp"
#include "tests/catch.hpp"

using namespace gonogo;
using namespace gonogo::stats;

namespace {
void check_near(const std::vector<double>& got, const std::vector<double>& want) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == Approx(want[i]));
}
}  // namespace

TEST_CASE("Holm multiplies step by step and never falls", "[stats]") {
  check_near(holm(std::vector<double>{0.01, 0.04, 0.03, 0.005}), {0.03, 0.06, 0.06, 0.02});
  check_near(holm(std::vector<double>{0.6, 0.7}), {1, 1});
  check_near(holm(std::vector<double>{0.02}), {0.02});
  CHECK(holm({}).empty());
}

TEST_CASE("Benjamini and Hochberg divide step by step and never rise", "[stats]") {
  check_near(benjamini_hochberg(std::vector<double>{0.01, 0.04, 0.03, 0.005}), {0.02, 0.04, 0.04, 0.02});
  check_near(benjamini_hochberg(std::vector<double>{0.03, 0.03, 0.03}), {0.03, 0.03, 0.03});
  check_near(benjamini_hochberg(std::vector<double>{0.9, 0.001}), {0.9, 0.002});
  CHECK(benjamini_hochberg({}).empty());
}

TEST_CASE("a p-value outside 0 to 1 is refused", "[stats]") {
  CHECK_THROWS_AS(holm(std::vector<double>{0.5, 1.5}), core::LogicError);
  CHECK_THROWS_AS(benjamini_hochberg(std::vector<double>{-0.1}), core::LogicError);
  CHECK_THROWS_AS(holm(std::vector<double>{std::numeric_limits<double>::quiet_NaN()}), core::LogicError);
}

TEST_CASE("of 1000 families of 50 true nulls Holm alarms in at most 5 %, uncorrected tests in nearly all", "[stats]") {
  std::mt19937_64 random(29);
  std::uniform_real_distribution<double> uniform(0, 1);
  int with_holm = 0, without = 0;
  for (int family = 0; family < 1000; ++family) {
    std::vector<double> p_values(50);
    for (double& p : p_values) p = uniform(random);
    const auto adjusted = holm(p_values);
    bool alarm = false, raw = false;
    for (std::size_t i = 0; i < 50; ++i) alarm = alarm || adjusted[i] <= 0.05, raw = raw || p_values[i] <= 0.05;
    with_holm += alarm ? 1 : 0;
    without += raw ? 1 : 0;
  }
  CHECK(with_holm <= 64);  // 5 % and two standard errors
  CHECK(with_holm >= 25);
  CHECK(without > 850);
}

TEST_CASE("the share of false alarms among all stays within q with Benjamini and Hochberg", "[stats]") {
  std::mt19937_64 random(31);
  std::uniform_real_distribution<double> uniform(0, 1);
  double share = 0;
  int found = 0;
  for (int family = 0; family < 1000; ++family) {
    std::vector<double> p_values(50);
    for (std::size_t i = 0; i < 50; ++i) p_values[i] = i < 25 ? uniform(random) : 1e-4 * uniform(random);
    const auto adjusted = benjamini_hochberg(p_values);
    int wrong = 0, all = 0;
    for (std::size_t i = 0; i < 50; ++i)
      if (adjusted[i] <= 0.1) ++all, wrong += i < 25 ? 1 : 0;
    share += all == 0 ? 0 : static_cast<double>(wrong) / all / 1000;
    found += all - wrong;
  }
  CHECK(share < 0.06);  // q times the share of true nulls is 5 %; the standard error is about 0.1 %
  CHECK(share > 0.04);
  CHECK(found == 25000);
}
