// A finished session judged: decisions, the control arm, and what should be known beside them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/exit_code.hpp"
#include "reports/pair/decide.hpp"
#include "reports/pair/journal.hpp"
#include "reports/pair/noise.hpp"

namespace gonogo::reports {

struct PairResult {
  std::string verdict;  // "REGRESSION", "NO REGRESSION", "INCONCLUSIVE", "FAILED", "INVALID"
  core::ExitCode exit_code = core::ExitCode::inconclusive;
  DecisionRule rule;
  std::vector<Decision> rows;     // b against a, worst first
  std::vector<Decision> control;  // the control arm against a; empty without one
  std::vector<std::string> notes;
};

/// The values of two arms, metric by metric, complete blocks only.
[[nodiscard]] std::vector<PairedMetric> paired_metrics(const JournalContent& content, Arm base, Arm candidate);

/// `rule.alpha` and `rule.practical` are taken from the plan. Floors come from `noise`, from the control arm, or from
/// whichever is larger. Throws core::EnvironmentError when the noise floor is another machine's.
[[nodiscard]] PairResult judge_session(const JournalContent& content, const std::optional<NoiseFile>& noise,
                                       DecisionRule rule);

/// One line first, then a row a metric, worst first, and the notes.
[[nodiscard]] std::string to_text(const PairResult& result, const JournalContent& content);
[[nodiscard]] std::string to_markdown(const PairResult& result, const JournalContent& content);
/// Everything, the values of every run included.
[[nodiscard]] Json to_json(const PairResult& result, const JournalContent& content);

}  // namespace gonogo::reports
