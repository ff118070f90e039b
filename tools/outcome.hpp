// What a check of strangers' files comes to, and how the checking programs end.
#pragma once

#include <map>

#include "harness/core/exit_code.hpp"

namespace gonogo::tools {

enum class Outcome { right, refused, wrong };

/// Prints the count of each outcome, a line each; failed rows (exit 4) when anything was wrong. What was refused is no
/// failure.
[[nodiscard]] core::ExitCode tell_counts(const std::map<Outcome, int>& counts);

}  // namespace gonogo::tools
