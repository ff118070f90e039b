// From a run record and gates to a verdict: a pure function. Nothing maps missing, null, NaN, empty, of another unit or
// mismatched data to a pass. Source: docs/measuring.md, "Gates and verdicts".
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/exit_code.hpp"
#include "harness/record/json.hpp"
#include "reports/gates/gate.hpp"

namespace gonogo::reports {

using record::Json;

enum class Outcome { pass, fail, between, unmeasured, inconclusive, invalid };
enum class Overall { go, conditional_go, gated_go, no_go, inconclusive };
/// "PASS", "CONDITIONAL-GO"...
[[nodiscard]] std::string_view name_of(Outcome outcome);
[[nodiscard]] std::string_view name_of(Overall overall);

/// One comparison with the values it was made with.
struct TermResult {
  std::string metric;  // full name, labels filled in
  std::string unit;
  Comparison comparison = Comparison::at_most;
  std::optional<double> value, go, no_go;
  Outcome outcome = Outcome::unmeasured;
  std::string reason;
  bool wrong = false;  // invalid because something failed or its output was wrong (exit 4), not because of the
                       // environment (exit 5)
};

struct GateResult {
  Gate gate;
  Outcome outcome = Outcome::unmeasured;
  std::string reason;
  std::vector<TermResult> proof, terms;
  bool wrong = false;
};

struct Verdict {
  Overall overall = Overall::inconclusive;
  core::ExitCode exit_code = core::ExitCode::inconclusive;
  std::string stack;
  std::string reason;
  std::string experiment;  // the cheapest run that would settle it; empty for GO and NO-GO
  std::vector<GateResult> gates;
  std::vector<std::string> notes;  // what does not change the verdict but should be known
};

struct JudgeInputs {
  const Json& record;                                 // as read_record or to_json gives it
  std::string stack;                                  // empty: "latest" where there is one, else the only stack
  std::map<std::string, const Json*> baselines = {};  // records that gates name
};

/// Throws core::UsageError when the stack is not in the record or none can be chosen.
[[nodiscard]] Verdict judge(const JudgeInputs& inputs, std::span<const Gate> gates);

/// The same as data, for files and for RunRecord::verdict.
[[nodiscard]] Json to_json(const Verdict& verdict);

/// For people: one line first, then a table of the gates; `explain` adds every comparison.
[[nodiscard]] std::string to_text(const Verdict& verdict, bool explain);

}  // namespace gonogo::reports
