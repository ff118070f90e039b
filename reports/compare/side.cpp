#include "reports/compare/side.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/stats/summary.hpp"

namespace gonogo::reports {
namespace {

using record::Status;

bool wanted(const ImportedRow& row, const ComparePolicy& policy) {
  return policy.metrics.empty() ||
         std::find(policy.metrics.begin(), policy.metrics.end(), row.metric) != policy.metrics.end();
}

SideRow from_one(const ImportedRow& row) {
  return {.row = &row, .values = row.samples, .status = row.status, .reason = row.reason};
}

// A run is one value of a side with several: its median.
void add_run(SideRow& joined, const ImportedRow& row, const std::string& file) {
  if (row.status != Status::ok) {
    if (joined.status == Status::ok || row.status == Status::failed)
      joined.status = row.status, joined.reason = fmt::format("{}: {}", file, row.reason);
    return;
  }
  if (const auto middle = stats::median(row.samples)) joined.values.push_back(*middle);
}

}  // namespace

std::string key_of(const ImportedRow& row, const ComparePolicy& policy) {
  const auto unless = [&](const char* key, const std::string& text) {
    return policy.allowed.count(key) != 0 ? std::string() : text;
  };
  std::string key;
  for (const std::string& part : {row.name, row.metric, row.unit, unless("device", row.device),
                                  unless("model", row.model), unless("levers", row.levers)}) {
    key += part;
    key += '\n';
  }
  return key;
}

Side join(const std::vector<ImportedRun>& runs, const ComparePolicy& policy) {
  Side side;
  side.runs = runs.size();
  side.fresh_processes = runs.size() > 1 || runs.front().source == SampleSource::fresh_processes;
  std::vector<std::size_t> seen;
  for (const ImportedRun& run : runs)
    for (const ImportedRow& row : run.rows) {
      if (!wanted(row, policy)) continue;
      const auto [found, fresh] = side.by_key.emplace(key_of(row, policy), side.rows.size());
      if (fresh) {
        side.rows.push_back(runs.size() == 1 ? from_one(row) : SideRow{.row = &row, .values = {}, .reason = {}});
        seen.push_back(0);
      }
      if (runs.size() > 1) add_run(side.rows[found->second], row, run.file);
      ++seen[found->second];
    }
  for (std::size_t i = 0; i < side.rows.size(); ++i)
    if (seen[i] < runs.size() && side.rows[i].status == Status::ok)
      side.rows[i].status = Status::failed,
      side.rows[i].reason = fmt::format("in {} of {} runs only", seen[i], runs.size());
  return side;
}

SideInfo describe(const std::vector<ImportedRun>& runs) {
  SideInfo info{.files = {}, .format = runs.front().format, .runs = runs.size(), .argv = runs.front().argv};
  info.rows = runs.front().rows.size();
  for (const ImportedRun& run : runs) {
    info.files.push_back(run.file);
    for (const ImportedRow& row : run.rows) {
      if (row.status == Status::failed || row.status == Status::invalid) ++info.failed;
      if (row.status == Status::skipped || row.status == Status::unmeasured) ++info.skipped;
    }
  }
  return info;
}

}  // namespace gonogo::reports
