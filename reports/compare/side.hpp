// One side's runs joined: per key the values that count as samples.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "reports/compare/comparison.hpp"

namespace gonogo::reports {

struct SideRow {
  const ImportedRow* row = nullptr;  // of the first run that has it
  std::vector<double> values;        // the samples of one run, or one median a run
  record::Status status = record::Status::ok;
  std::string reason;
};

struct Side {
  std::vector<SideRow> rows;  // in the order of the files
  std::unordered_map<std::string, std::size_t> by_key;
  bool fresh_processes = false;  // each value comes from a process of its own
  std::size_t runs = 0;
};

/// The key rows are matched by. Levers are left out of it where the sides may differ in them, device and model
/// likewise.
[[nodiscard]] std::string key_of(const ImportedRow& row, const ComparePolicy& policy);

[[nodiscard]] Side join(const std::vector<ImportedRun>& runs, const ComparePolicy& policy);
[[nodiscard]] SideInfo describe(const std::vector<ImportedRun>& runs);

/// In what the sides (and the runs of one side) differ; `refused` where that makes them incomparable.
[[nodiscard]] std::vector<Difference> differences(const std::vector<ImportedRun>& base,
                                                  const std::vector<ImportedRun>& cand, const ComparePolicy& policy);

}  // namespace gonogo::reports
