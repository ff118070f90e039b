// Merging the inbox into the ledger and moving what is too much into the archive. A plan first, its steps in an order
// that loses nothing at whatever step it is cut short, and that can be run again.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "reports/decisions/store.hpp"

namespace gonogo::reports {

struct Step {
  std::filesystem::path path;
  std::string text;  // to write; nothing for a removal
  bool remove = false;
};

struct ConsolidatePlan {
  std::vector<Step> steps;                        // archive, then ledger, then the removal of inbox files
  std::vector<std::string> merged, archived;      // ids
  std::size_t bytes_before = 0, bytes_after = 0;  // of decisions.md
};

inline constexpr std::size_t kLedgerLimit = 50 * 1024;

/// Throws core::InputError for one id with two contents, for a drop that names an unknown id as superseded or
/// retracted, and for a drop whose text was edited.
[[nodiscard]] ConsolidatePlan plan_consolidation(const Store& store, std::size_t limit = kLedgerLimit);

/// Writes each file whole, removes only after all is written. Throws core::UsageError with the system's words.
void run_steps(const std::vector<Step>& steps);

}  // namespace gonogo::reports
