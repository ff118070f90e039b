// One gate against one record.
#pragma once

#include "reports/verdict/verdict.hpp"

namespace gonogo::reports {

/// `stack` is in the record.
[[nodiscard]] GateResult judge_gate(const JudgeInputs& inputs, const std::string& stack, const Gate& gate);

/// The outcome of terms that must all pass: a failed one decides, then an invalid one, then what is missing, then what
/// is doubtful, then a band. Inconclusive for none.
[[nodiscard]] Outcome worst(std::span<const TermResult> terms);

/// pass, fail or between for a finite value. Source: decisions/gates/README.md, "comparison".
[[nodiscard]] Outcome compare(double value, Comparison comparison, double go, std::optional<double> no_go);

/// The numbers of a term for people, each with its unit: a value that misses a bound never reads as equal to it. "-"
/// for what is not there.
struct ShownNumbers {
  std::string value = "-", go = "-", no_go = "-";
};
[[nodiscard]] ShownNumbers shown_numbers(const TermResult& term);

}  // namespace gonogo::reports
