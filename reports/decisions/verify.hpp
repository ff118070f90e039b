// Does a decision still stand on what it says: its text, its gates, its evidence, its verdict?
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "harness/core/exit_code.hpp"
#include "reports/decisions/drop.hpp"
#include "reports/gates/gate.hpp"

namespace gonogo::reports {

struct Check {
  std::string what;  // "gate fund-verify", "evidence evidence/x.json"
  bool ok = false;
  std::string why;
  core::ExitCode code = core::ExitCode::ok;  // when not ok: usage for a gate or text, failed_rows for evidence, verdict
};

/// `folder` is the decisions folder that evidence paths are relative to; `gates` are the gates as they are now. A gate
/// edited under its version, evidence that is gone or changed, a text that is not what its data says and a verdict that
/// the evidence does not give are refused; a gate with a newer version beside the drop's is not.
[[nodiscard]] std::vector<Check> verify(const PlacedDrop& placed, const std::filesystem::path& folder,
                                        std::span<const Gate> gates);

[[nodiscard]] core::ExitCode code_of(std::span<const Check> checks);

}  // namespace gonogo::reports
