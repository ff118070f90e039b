// Which length, prompt and operator the rows of an arc have in common.
#pragma once

#include <string>
#include <vector>

#include "reports/arc/metrics.hpp"

namespace gonogo::reports {

/// What is asked for, when any row has it (throws core::UsageError with the choices otherwise); else the last of the
/// values that most rows have. Empty when no row has any.
[[nodiscard]] std::string common_label(const std::vector<std::vector<std::string>>& rows, const std::string& asked,
                                       const std::string& what);

}  // namespace gonogo::reports
