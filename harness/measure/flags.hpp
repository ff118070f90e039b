// Marks on samples. A marked sample stays in the data; the mark says why to doubt it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/measure/timer.hpp"

namespace gonogo::measure {

inline constexpr const char* kOutlier = "outlier";
inline constexpr const char* kBelowTimerFloor = "below_timer_floor";

struct OutlierRule {
  double score = 5.0;   // robust standard deviations (1.4826 MAD) from the median
  double share = 0.05;  // and a distance of this share of the median: a tiny spread makes harmless points score high
};

/// Per sample its marks, in the order of `ms`; the shape of record::Row::flags.
[[nodiscard]] std::vector<std::vector<std::string>> flag_samples(std::span<const double> ms, const TimerFloor& floor,
                                                                 const OutlierRule& rule = {});

/// (p90 - p10) / median; nullopt for an empty sample or a median of 0. Above 0.5 a row deserves a warning.
[[nodiscard]] std::optional<double> relative_spread(std::span<const double> ms);

/// Median of the re-measured first point / median of the first measurement - 1; nullopt when undefined.
[[nodiscard]] std::optional<double> drift(std::span<const double> first, std::span<const double> again);

}  // namespace gonogo::measure
