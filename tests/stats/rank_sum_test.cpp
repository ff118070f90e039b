#include "harness/stats/rank_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "harness/core/error.hpp"
#include "harness/stats/distributions.hpp"
#include "tests/catch.hpp"

using namespace gonogo;
using namespace gonogo::stats;

namespace {

double count_u(const std::vector<double>& base, const std::vector<double>& candidate) {
  double u = 0;
  for (const double c : candidate)
    for (const double b : base) u += c > b ? 1.0 : c == b ? 0.5 : 0.0;
  return u;
}

// U of every way to choose which values are the candidate's.
std::vector<double> all_u(const std::vector<double>& pooled, std::size_t candidates) {
  std::vector<double> all;
  std::vector<bool> chosen(pooled.size(), false);
  std::fill(chosen.end() - static_cast<std::ptrdiff_t>(candidates), chosen.end(), true);
  do {
    std::vector<double> base, candidate;
    for (std::size_t i = 0; i < pooled.size(); ++i) (chosen[i] ? candidate : base).push_back(pooled[i]);
    all.push_back(count_u(base, candidate));
  } while (std::next_permutation(chosen.begin(), chosen.end()));
  return all;
}

// The number of arrangements with this U, by Mann and Whitney's own recursion.
double ways(int n, int m, int u, std::map<std::tuple<int, int, int>, double>& known) {
  if (u < 0) return 0;
  if (n == 0 || m == 0) return u == 0 ? 1 : 0;
  const auto [at, is_new] = known.try_emplace({n, m, u}, 0.0);
  if (is_new) {
    const double count = ways(n - 1, m, u - m, known) + ways(n, m - 1, u, known);
    known[{n, m, u}] = count;
    return count;
  }
  return at->second;
}

}  // namespace

TEST_CASE("the exact rank-sum p is what enumerating every assignment gives", "[stats]") {
  std::mt19937_64 random(5);
  std::size_t compared = 0;
  for (std::size_t n = 1; n <= 5; ++n)
    for (std::size_t m = 1; m <= 5; ++m)
      for (int round = 0; round < 3; ++round) {
        std::vector<double> pooled(n + m);
        for (std::size_t i = 0; i < pooled.size(); ++i) pooled[i] = static_cast<double>(i * i) + 0.5;
        std::shuffle(pooled.begin(), pooled.end(), random);
        const std::vector<double> base(pooled.begin(), pooled.begin() + static_cast<std::ptrdiff_t>(n));
        const std::vector<double> candidate(pooled.begin() + static_cast<std::ptrdiff_t>(n), pooled.end());
        const double observed = count_u(base, candidate);
        const auto every = all_u(pooled, m);
        double greater = 0, less = 0;
        for (const double u : every) greater += u >= observed ? 1 : 0, less += u <= observed ? 1 : 0;
        greater /= static_cast<double>(every.size());
        less /= static_cast<double>(every.size());
        CAPTURE(n, m, observed);
        const auto result = rank_sum(base, candidate);
        CHECK(result->u == observed);
        CHECK_FALSE(result->ties);
        CHECK(result->value.method == PMethod::exact);
        CHECK(result->value.arrangements == every.size());
        CHECK(result->value.p == Approx(std::min(1.0, 2 * std::min(greater, less))).epsilon(1e-12));
        CHECK(rank_sum(base, candidate, Alternative::greater)->value.p == Approx(greater).epsilon(1e-12));
        CHECK(rank_sum(base, candidate, Alternative::less)->value.p == Approx(less).epsilon(1e-12));
        ++compared;
      }
  CHECK(compared == 75);
}

TEST_CASE("the exact p of 25 a side follows Mann and Whitney's recursion", "[stats]") {
  std::map<std::tuple<int, int, int>, double> known;
  double total = 0, below = 0;
  const int u_wanted = 205;  // where the two-sided p is near 4 %
  for (int u = 0; u <= 625; ++u) {
    const double count = ways(25, 25, u, known);
    total += count;
    if (u <= u_wanted) below += count;
  }
  std::vector<double> base, candidate;  // 25 a side whose U is 205: eight candidates below all, one in the middle, ...
  for (int i = 0; i < 25; ++i) base.push_back(i);
  for (int i = 0; i < 8; ++i) candidate.push_back(24.5 + i);
  candidate.push_back(4.5);
  for (int i = 0; i < 16; ++i) candidate.push_back(-1.0 - i);
  REQUIRE(count_u(base, candidate) == u_wanted);
  CHECK(rank_sum(base, candidate)->value.method == PMethod::exact);
  CHECK(rank_sum(base, candidate)->value.p == Approx(2 * below / total).epsilon(1e-9));
}

TEST_CASE("with ties the normal approximation has the variance of the tied permutations", "[stats]") {
  const std::vector<double> base{1, 2, 2, 3}, candidate{2, 3, 3, 5, 5};
  std::vector<double> pooled = base;
  pooled.insert(pooled.end(), candidate.begin(), candidate.end());
  const auto every = all_u(pooled, candidate.size());
  double variance = 0;
  for (const double u : every) variance += (u - 10) * (u - 10) / static_cast<double>(every.size());
  const auto result = rank_sum(base, candidate);
  CHECK(result->ties);
  CHECK(result->value.method == PMethod::normal);
  CHECK(result->u == count_u(base, candidate));
  const double z = (result->u - 10 - 0.5) / std::sqrt(variance);
  CHECK(result->value.p == Approx(std::erfc(z / std::sqrt(2.0))).epsilon(1e-9));
  CHECK(rank_sum(base, candidate, Alternative::greater)->value.p == Approx(result->value.p / 2));
}

TEST_CASE("large samples use the normal approximation, which lies near the exact p", "[stats]") {
  std::vector<double> base, candidate;
  for (int i = 0; i < 25; ++i) base.push_back(i), candidate.push_back(i + 5.5);
  const double exact = rank_sum(base, candidate)->value.p;
  base.push_back(-1.25);  // 26 values: no longer counted
  const auto larger = rank_sum(base, candidate);
  CHECK(larger->value.method == PMethod::normal);
  CHECK(larger->value.p < exact);
  CHECK(larger->value.p > exact * 0.3);
}

TEST_CASE("equal values everywhere decide nothing, and an empty sample has no p", "[stats]") {
  CHECK(rank_sum(std::vector<double>(9, 2.0), std::vector<double>(9, 2.0))->value.p == 1.0);
  CHECK_FALSE(rank_sum({}, std::vector<double>{1}).has_value());
  CHECK(smallest_rank_sum_p(0, 5) == 1.0);
}

TEST_CASE("separated samples reach the smallest p, 2 of all assignments", "[stats]") {
  CHECK(smallest_rank_sum_p(4, 4) == Approx(2.0 / 70));
  CHECK(smallest_rank_sum_p(3, 5, Alternative::less) == Approx(1.0 / 56));
  const std::vector<double> low{1, 2, 3, 4}, high{5, 6, 7, 8};
  CHECK(rank_sum(low, high)->value.p == smallest_rank_sum_p(4, 4));
  CHECK(smallest_rank_sum_p(30, 30) < 1e-9);
}

TEST_CASE("the unpaired interval needs enough values and then spans the pairwise ratios", "[stats]") {
  const std::vector<double> base{1, 2, 4, 8}, twice{2, 4, 8, 16};
  const auto four = unpaired_log_ratio(base, twice);
  CHECK(four->estimate == Approx(std::log(2.0)));
  CHECK(four->interval->low == Approx(std::log(2.0 / 8)));  // 4 a side: only the extremes may be cut
  CHECK(four->interval->high == Approx(std::log(16.0)));
  const auto three = unpaired_log_ratio(std::vector<double>{1, 2, 4}, std::vector<double>{2, 4, 8});
  CHECK(three->estimate == Approx(std::log(2.0)));
  CHECK_FALSE(three->interval.has_value());  // 2 / C(6, 3) is 10 %
  CHECK_FALSE(unpaired_log_ratio(std::vector<double>{1, 0}, twice).has_value());
  CHECK_FALSE(unpaired_log_ratio(std::vector<double>{1, -2}, twice).has_value());
  CHECK_FALSE(unpaired_log_ratio({}, twice).has_value());
}

TEST_CASE("the unpaired interval excludes no change exactly when the test fires", "[stats]") {
  std::mt19937_64 random(17);
  std::lognormal_distribution<double> noise(0, 0.05);
  int fired = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<double> base(7), candidate(9);
    for (double& value : base) value = noise(random);
    for (double& value : candidate) value = 1.05 * noise(random);
    const auto ratio = unpaired_log_ratio(base, candidate);
    const bool excludes = ratio->interval->low > 0 || ratio->interval->high < 0;
    CHECK(excludes == (rank_sum(base, candidate)->value.p <= 0.05));
    fired += excludes ? 1 : 0;
  }
  CHECK(fired > 30);
  CHECK(fired < 270);
}

TEST_CASE("a 95 % unpaired interval holds the true ratio in at least 95 % of samples, not in all", "[stats]") {
  std::mt19937_64 random(23);
  std::lognormal_distribution<double> noise(0, 0.1);
  for (const std::size_t n : {6U, 30U}) {
    int held = 0;
    const int trials = 1000;
    for (int trial = 0; trial < trials; ++trial) {
      std::vector<double> base(n), candidate(n);
      for (double& value : base) value = noise(random);
      for (double& value : candidate) value = 1.2 * noise(random);
      const auto interval = unpaired_log_ratio(base, candidate)->interval;
      held += interval->low <= std::log(1.2) && std::log(1.2) <= interval->high ? 1 : 0;
    }
    CHECK(held > 930);  // three standard errors below 95 %
    CHECK(held < 985);
  }
}

TEST_CASE("a non-finite value is refused on either side", "[stats]") {
  const std::vector<double> fine{1, 2}, broken{1, std::numeric_limits<double>::infinity()};
  CHECK_THROWS_AS(rank_sum(fine, broken), core::LogicError);
  CHECK_THROWS_AS(rank_sum(broken, fine), core::LogicError);
  CHECK_THROWS_AS(unpaired_log_ratio(fine, broken), core::LogicError);
}
