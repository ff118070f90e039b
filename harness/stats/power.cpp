#include "harness/stats/power.hpp"

#include <fmt/format.h>

#include <cmath>

#include "harness/core/error.hpp"
#include "harness/stats/distributions.hpp"
#include "harness/stats/rank_sum.hpp"
#include "harness/stats/sign_flip.hpp"

namespace gonogo::stats {
namespace {

void check_level(double level) { GONOGO_EXPECT(level > 0 && level < 1, fmt::format("level {}", level)); }

// Of a sign-flip test that counts every arrangement.
double exact_reach(std::size_t n, Alternative alternative) {
  const double sides = alternative == Alternative::different ? 2 : 1;
  return n == 0 ? 1 : std::fmin(1.0, sides * std::exp2(-static_cast<double>(n)));
}

double smallest_p(PlannedTest test, std::size_t n, Alternative alternative) {
  if (test == PlannedTest::rank_sum) return smallest_rank_sum_p(n, n, alternative);
  return smallest_sign_flip_p(n, {.alternative = alternative});
}

}  // namespace

std::optional<double> minimum_detectable_effect(double stddev, std::size_t n, const Power& power, std::size_t strata) {
  check_level(power.level);
  GONOGO_EXPECT(power.power > 0.5 && power.power < 1, fmt::format("power {}", power.power));
  GONOGO_EXPECT(stddev >= 0 && std::isfinite(stddev), fmt::format("stddev {}", stddev));
  if (n <= strata || exact_reach(n, power.alternative) > power.level) return std::nullopt;
  const double sides = power.alternative == Alternative::different ? 2 : 1;
  const auto dof = static_cast<double>(n - strata);
  const auto beyond = student_quantile(1 - power.level / sides, dof), caught = student_quantile(power.power, dof);
  if (!beyond || !caught) return std::nullopt;
  return (*beyond + *caught) * stddev / std::sqrt(static_cast<double>(n));
}

std::optional<std::size_t> blocks_to_detect(double stddev, double effect, const Power& power, std::size_t most) {
  GONOGO_EXPECT(effect > 0, fmt::format("effect {}", effect));
  const auto enough = [&](std::size_t n) {
    const auto smallest = minimum_detectable_effect(stddev, n, power);
    return smallest && *smallest <= effect;
  };
  if (!enough(most)) return std::nullopt;
  // The normal quantiles give nearly the answer; the bracket grows from there. More blocks never see less.
  const double sides = power.alternative == Alternative::different ? 2 : 1;
  const double z = *normal_quantile(1 - power.level / sides) + *normal_quantile(power.power);
  const double guess = z * stddev / effect * z * stddev / effect;
  std::size_t low = 0, high = most;  // not enough, enough
  std::size_t middle = guess < static_cast<double>(most) ? static_cast<std::size_t>(guess) : most / 2;
  for (std::size_t step = 4; high - low > 1; step *= 2) {
    if (middle <= low || middle >= high) middle = low + (high - low) / 2;
    const bool is_enough = enough(middle);
    (is_enough ? high : low) = middle;
    middle = is_enough ? (middle > step ? middle - step : 0) : middle + step;
  }
  return high;
}

std::size_t fewest_pairs(double level, Alternative alternative) {
  check_level(level);
  std::size_t n = 1;
  while (exact_reach(n, alternative) > level) ++n;
  return n;
}

std::size_t fewest_a_side(double level, Alternative alternative) {
  check_level(level);
  std::size_t n = 1;
  while (smallest_rank_sum_p(n, n, alternative) > level) ++n;
  return n;
}

Reach reach_of(const Plan& plan) {
  GONOGO_EXPECT(plan.rows > 0, "a plan tests at least one row");
  check_level(plan.alpha);
  Reach reach;
  reach.level = plan.alpha / static_cast<double>(plan.rows);
  reach.smallest_p = smallest_p(plan.test, plan.n, plan.alternative);
  reach.can_fire = reach.smallest_p <= reach.level;
  reach.needed = plan.test == PlannedTest::sign_flip ? fewest_pairs(reach.level, plan.alternative)
                                                     : fewest_a_side(reach.level, plan.alternative);
  return reach;
}

}  // namespace gonogo::stats
