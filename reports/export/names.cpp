#include "reports/export/names.hpp"

#include <fmt/format.h>

namespace gonogo::reports {

std::string no_value(const ImportedRow& row) {
  if (row.status != record::Status::ok)
    return fmt::format("{}: {}", name_of(row.status), row.reason.empty() ? "no reason was given" : row.reason);
  return row.samples.empty() ? "no sample" : "";
}

UniqueNames::UniqueNames(const ImportedRun& run) {
  for (const ImportedRow& row : run.rows)
    if (row.metric != run.rows.front().metric) several_metrics_ = true;
}

std::string UniqueNames::of(const ImportedRow& row) {
  const std::string plain = several_metrics_ ? fmt::format("{} {}", row.name, row.metric) : row.name;
  std::string name = plain;
  for (const std::string& more : {row.device, row.model, row.levers})
    if (used_.count(name) != 0 && !more.empty()) name += fmt::format(" [{}]", more);
  for (int i = 2; used_.count(name) != 0; ++i) name = fmt::format("{} ({})", plain, i);
  used_.insert(name);
  return name;
}

}  // namespace gonogo::reports
