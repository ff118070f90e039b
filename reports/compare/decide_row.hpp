// One row of both sides: everything about it that does not depend on the other rows, then its finding.
#pragma once

#include "reports/compare/side.hpp"

namespace gonogo::reports {

/// What is needed to finish a row once the correction over all rows is known.
struct RowCase {
  ComparedRow row;
  bool tested = false;        // has a p-value; else the finding stands
  bool beyond_timer = false;  // the change of the medians exceeds the timer's floor
  double timer_limit_ms = 0;  // that floor; 0 for what is no time
  double smallest_p = 1;      // that so many values can reach
  double spread = 0;          // standard error of the log-ratio
};

struct Sides {
  const Side& base;
  const Side& cand;
};

/// `base` or `cand` may be absent: a row on one side only.
[[nodiscard]] RowCase weigh(const SideRow* base, const SideRow* cand, const Sides& sides, const ComparePolicy& policy);

/// Finding and reason of a tested row, from p_adjusted; `level` is that of a row that stands alone.
void conclude(RowCase& weighed, double level, const ComparePolicy& policy);

}  // namespace gonogo::reports
