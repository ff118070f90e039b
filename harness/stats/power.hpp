// What a design can see: the smallest effect it detects, the blocks it would need, and whether it can fire at all.
#pragma once

#include <cstddef>
#include <optional>

#include "harness/stats/p_value.hpp"

namespace gonogo::stats {

struct Power {
  double level = 0.05;  // of the test, already corrected for the number of rows
  double power = 0.8;   // chance to detect
  Alternative alternative = Alternative::different;
};

/// The smallest mean log-ratio that n blocks with this spread detect with the wanted power:
/// (t[1 - level / sides] + t[power]) * stddev / sqrt(n), t with n - strata degrees of freedom (strata: 2 where the two
/// orders are told apart). nullopt when there are no degrees of freedom, or when the sign-flip test of n blocks cannot
/// reach the level whatever the effect.
[[nodiscard]] std::optional<double> minimum_detectable_effect(double stddev, std::size_t n, const Power& power = {},
                                                              std::size_t strata = 2);

/// The fewest blocks whose minimum detectable effect is at most `effect` (> 0); nullopt above `most`.
[[nodiscard]] std::optional<std::size_t> blocks_to_detect(double stddev, double effect, const Power& power = {},
                                                          std::size_t most = 100000);

/// The fewest pairs, or values a side, with which the sign-flip or rank-sum test can reach a level (> 0).
[[nodiscard]] std::size_t fewest_pairs(double level, Alternative alternative = Alternative::different);
[[nodiscard]] std::size_t fewest_a_side(double level, Alternative alternative = Alternative::different);

enum class PlannedTest { sign_flip, rank_sum };

/// A comparison before it is run.
struct Plan {
  PlannedTest test = PlannedTest::sign_flip;
  std::size_t n = 0;     // pairs, or values a side
  std::size_t rows = 1;  // tested together; the strictest step of Holm or Benjamini-Hochberg is alpha / rows
  double alpha = 0.05;
  Alternative alternative = Alternative::different;
};

struct Reach {
  double level = 0;        // alpha / rows
  double smallest_p = 1;   // reachable, by Monte Carlo where sign_flip() would draw
  bool can_fire = false;   // smallest_p <= level
  std::size_t needed = 0;  // the fewest n that can fire, every arrangement counted
};
/// Throws LogicError without rows or for an alpha outside (0, 1).
[[nodiscard]] Reach reach_of(const Plan& plan);

}  // namespace gonogo::stats
