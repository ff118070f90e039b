// What the exporters share: which rows have a value, and a name of its own for each.
#pragma once

#include <set>
#include <string>

#include "reports/export/exports.hpp"

namespace gonogo::reports {

/// Why the row cannot be exported; empty when it can.
[[nodiscard]] std::string no_value(const ImportedRow& row);

/// Name (and metric, where a run's rows differ in it), with device, model and levers added where that is not unique.
class UniqueNames {
 public:
  explicit UniqueNames(const ImportedRun& run);
  [[nodiscard]] std::string of(const ImportedRow& row);

 private:
  bool several_metrics_ = false;
  std::set<std::string> used_;
};

}  // namespace gonogo::reports
