// The charts of a report, from the metrics of its steps.
#pragma once

#include <string>
#include <vector>

#include "reports/arc/arc.hpp"

namespace gonogo::reports::html {

/// A stack of a record, as a series of charts.
struct ChartStep {
  std::string name;
  const Json* record = nullptr;
  std::string stack;
};

/// At most six steps are drawn: the first and the last five.
[[nodiscard]] std::vector<ChartStep> drawn(const std::vector<ChartStep>& steps);

/// Captured (solid) and eager (dashed) wall over M at this past.
[[nodiscard]] std::string m_scaling_chart(const std::vector<ChartStep>& steps, const Arc& arc);
/// B* over M with the bounds of the gate.
[[nodiscard]] std::string bstar_chart(const std::vector<ChartStep>& steps, const Arc& arc);
/// Prefill rate over prompt length, against the rate that the slope of its times tends to.
[[nodiscard]] std::string prefill_chart(const std::vector<ChartStep>& steps);
/// Captured nodes and eager steps of a width-m step, one strip a step that has them.
[[nodiscard]] std::vector<std::string> seam_strips(const std::vector<ChartStep>& steps, std::int64_t m);

}  // namespace gonogo::reports::html
