// How sure a counted rate is: Clopper and Pearson's exact interval.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/stats/bootstrap.hpp"

namespace gonogo::stats {

/// The rates under which neither this few nor this many successes would be surprising; two-sided, never narrower than
/// `confidence`. nullopt without trials. Throws LogicError for more successes than trials or a confidence outside (0,
/// 1).
[[nodiscard]] std::optional<Interval> clopper_pearson(std::uint64_t successes, std::uint64_t trials,
                                                      double confidence = 0.95);

/// One-sided bounds with the whole of 1 - confidence on one side: 0 of 59 is at most 4.95 %.
[[nodiscard]] std::optional<double> rate_at_most(std::uint64_t successes, std::uint64_t trials,
                                                 double confidence = 0.95);
[[nodiscard]] std::optional<double> rate_at_least(std::uint64_t successes, std::uint64_t trials,
                                                  double confidence = 0.95);

}  // namespace gonogo::stats
