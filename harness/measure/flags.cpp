#include "harness/measure/flags.hpp"

#include <cmath>

#include "harness/stats/summary.hpp"

namespace gonogo::measure {

std::vector<std::vector<std::string>> flag_samples(std::span<const double> ms, const TimerFloor& floor,
                                                   const OutlierRule& rule) {
  std::vector<std::vector<std::string>> flags(ms.size());
  if (ms.empty()) return flags;
  const double centre = *stats::median(ms);
  std::vector<double> distances(ms.size());
  for (std::size_t i = 0; i < ms.size(); ++i) distances[i] = std::fabs(ms[i] - centre);
  const double deviation = 1.4826 * *stats::median(distances);
  const double floor_ms = static_cast<double>(floor.least_trusted_ns()) * 1e-6;
  for (std::size_t i = 0; i < ms.size(); ++i) {
    if (ms[i] < floor_ms) flags[i].emplace_back(kBelowTimerFloor);
    if (distances[i] > rule.score * deviation && distances[i] > rule.share * centre) flags[i].emplace_back(kOutlier);
  }
  return flags;
}

std::optional<double> relative_spread(std::span<const double> ms) {
  const auto summary = stats::summarize(ms);
  if (!summary.median || *summary.median == 0) return std::nullopt;
  return (*summary.p90 - *summary.p10) / *summary.median;
}

std::optional<double> drift(std::span<const double> first, std::span<const double> again) {
  const auto before = stats::median(first), after = stats::median(again);
  if (!before || !after || *before == 0) return std::nullopt;
  return *after / *before - 1;
}

}  // namespace gonogo::measure
