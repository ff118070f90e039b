// Mann-Whitney's rank-sum test of two unpaired samples, and the interval of the ratio between them that goes with it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "harness/stats/bootstrap.hpp"
#include "harness/stats/p_value.hpp"

namespace gonogo::stats {

struct RankSum {
  double u = 0;  // pairs (base, candidate) in which the candidate is larger, ties counted half
  PValue value;
  bool ties = false;
};

/// The exact distribution is counted when no two values are equal and neither sample is larger than this.
inline constexpr std::size_t kMostExactRanks = 25;

/// nullopt when a sample is empty. p = 1 when all values are equal. Throws LogicError on a non-finite value.
[[nodiscard]] std::optional<RankSum> rank_sum(std::span<const double> base, std::span<const double> candidate,
                                              Alternative alternative = Alternative::different);

/// The smallest p two samples of these sizes can reach without ties; 1 when one is empty.
[[nodiscard]] double smallest_rank_sum_p(std::size_t base, std::size_t candidate,
                                         Alternative alternative = Alternative::different);

/// log(candidate / base) of unpaired samples: the Hodges-Lehmann estimate (median of all pairwise log-ratios) and the
/// interval that inverts the two-sided rank-sum test, free of any assumed distribution.
struct UnpairedRatio {
  double estimate = 0;
  std::optional<Interval> interval;  // nullopt where so few values cannot reach the confidence
};
/// nullopt when a sample is empty or holds a value that has no logarithm (zero or less). Throws LogicError on a
/// non-finite value, and for a confidence outside (0, 1).
[[nodiscard]] std::optional<UnpairedRatio> unpaired_log_ratio(std::span<const double> base,
                                                              std::span<const double> candidate,
                                                              double confidence = 0.95);

}  // namespace gonogo::stats
