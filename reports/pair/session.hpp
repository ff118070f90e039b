// Runs what a journal's plan still lacks: fresh processes in the planned order, each kept as it ends.
#pragma once

#include <cstddef>
#include <functional>

#include "reports/pair/journal.hpp"

namespace gonogo::reports {

/// What a caller is told, and may refuse by throwing.
struct SessionView {
  std::function<void(std::size_t metrics)> chosen = {};  // after the first run, before it is kept
  std::function<void(const Run& run, std::size_t runs)> kept = {};
};

enum class SessionEnd { complete, interrupted };

/// Throws core::UsageError when a pattern selects no metric, core::ResultError for a run that fails or writes no
/// complete result (told in the journal), core::EnvironmentError for runs that may not be compared: another host,
/// device or model, or exit code 5. A program of gonogo's contract may end with 0, 1 or 3; any other only with 0.
[[nodiscard]] SessionEnd run_session(Journal& journal, const SessionView& view);

}  // namespace gonogo::reports
