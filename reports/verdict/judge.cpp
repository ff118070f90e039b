#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.hpp"
#include "reports/verdict/judge_gate.hpp"
#include "reports/verdict/verdict.hpp"

namespace gonogo::reports {
namespace {

using core::ExitCode;

std::string chosen_stack(const JudgeInputs& inputs) {
  const Json& stacks = inputs.record.at("stacks");
  std::vector<std::string> names;
  for (const auto& [name, unused] : stacks.items()) names.push_back(name);
  if (names.empty()) throw core::UsageError("the record holds no stack to judge");
  if (!inputs.stack.empty()) {
    if (!stacks.contains(inputs.stack))
      throw core::UsageError(
          fmt::format("the record has no stack '{}': it has {}", inputs.stack, fmt::join(names, ", ")));
    return inputs.stack;
  }
  if (stacks.contains("latest")) return "latest";
  if (names.size() == 1) return names.front();
  throw core::UsageError(fmt::format("which stack? the record has {} (--stack NAME)", fmt::join(names, ", ")));
}

// Rows of the judged stack that failed: figures of a run that broke somewhere are no clean pass.
std::vector<std::string> failed_rows(const Json& record, const std::string& stack) {
  std::vector<std::string> names;
  for (const Json& row : record.at("benchmarks")) {
    if (row.value("aggregate_name", std::string()) != "status" || !row.contains("gonogo")) continue;
    const Json& ours = row["gonogo"];
    const auto status = ours.value("status", std::string());
    if (ours.value("stack", std::string()) == stack && (status == "failed" || status == "invalid"))
      names.push_back(
          fmt::format("{} ({}: {})", row.value("name", std::string()), status, ours.value("reason", std::string())));
  }
  return names;
}

std::vector<const GateResult*> with(const Verdict& verdict, Outcome outcome) {
  std::vector<const GateResult*> found;
  for (const GateResult& gate : verdict.gates)
    if (gate.outcome == outcome) found.push_back(&gate);
  return found;
}

std::string listed(const std::vector<const GateResult*>& gates) {
  std::string text;
  for (const GateResult* gate : gates)
    text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", gate->gate.id, gate->reason);
  return text;
}

const GateResult* cheapest(const std::vector<const GateResult*>& gates) {
  return *std::min_element(gates.begin(), gates.end(), [](const auto* a, const auto* b) {
    return a->gate.experiment.minutes < b->gate.experiment.minutes;
  });
}

struct Decision {
  Overall overall;
  std::string reason;
  const GateResult* settled_by = nullptr;  // whose experiment would settle it
};

Decision decide(const Verdict& verdict) {
  const auto fail = with(verdict, Outcome::fail), invalid = with(verdict, Outcome::invalid),
             between = with(verdict, Outcome::between), unmeasured = with(verdict, Outcome::unmeasured),
             inconclusive = with(verdict, Outcome::inconclusive);
  if (verdict.gates.empty()) return {Overall::inconclusive, "no gate was judged"};
  if (!fail.empty()) return {Overall::no_go, "failed: " + listed(fail)};
  if (!invalid.empty()) return {Overall::inconclusive, "invalid: " + listed(invalid), cheapest(invalid)};
  if (!inconclusive.empty())
    return {Overall::inconclusive, "inconclusive: " + listed(inconclusive), cheapest(inconclusive)};
  if (!unmeasured.empty())
    return {Overall::gated_go, "nothing failed; unmeasured: " + listed(unmeasured), cheapest(unmeasured)};
  if (between.size() == 1) return {Overall::conditional_go, "all pass but " + listed(between), between.front()};
  if (!between.empty()) return {Overall::inconclusive, "between go and no-go: " + listed(between), cheapest(between)};
  return {Overall::go, fmt::format("all {} gates pass", verdict.gates.size())};
}

ExitCode exit_code_of(const Verdict& verdict) {
  ExitCode code = verdict.overall == Overall::go      ? ExitCode::ok
                  : verdict.overall == Overall::no_go ? ExitCode::no_go
                                                      : ExitCode::inconclusive;
  for (const GateResult& gate : verdict.gates) {
    if (gate.wrong) code = core::stronger(code, ExitCode::failed_rows);
    if (gate.outcome == Outcome::invalid && !gate.wrong) code = core::stronger(code, ExitCode::invalid_environment);
  }
  return code;
}

}  // namespace

Verdict judge(const JudgeInputs& inputs, std::span<const Gate> gates) {
  Verdict verdict;
  verdict.stack = chosen_stack(inputs);
  for (const Gate& gate : gates) verdict.gates.push_back(judge_gate(inputs, verdict.stack, gate));
  Decision decision = decide(verdict);
  const auto failed = failed_rows(inputs.record, verdict.stack);
  const bool partial = inputs.record.at("status") != "complete";
  // Passing what was measured is not passing when the run did not get through.
  if (decision.overall == Overall::go && !failed.empty())
    decision = {Overall::inconclusive, fmt::format("all gates pass, but rows failed: {}", fmt::join(failed, "; "))};
  if (decision.overall == Overall::go && partial)
    decision = {Overall::inconclusive,
                "all gates pass, but the run is partial: " + inputs.record.at("partial_reason").dump()};
  verdict.overall = decision.overall;
  verdict.reason = decision.reason;
  if (decision.settled_by != nullptr) verdict.experiment = decision.settled_by->gate.experiment.command;
  verdict.exit_code = exit_code_of(verdict);
  if (!failed.empty()) verdict.exit_code = core::stronger(verdict.exit_code, ExitCode::failed_rows);
  for (const auto& row : failed) verdict.notes.push_back("row failed: " + row);
  if (partial) verdict.notes.push_back("the record is partial: " + inputs.record.at("partial_reason").dump());
  const Json& dirty = inputs.record.at("build").at("git_dirty");
  if (dirty != false)
    verdict.notes.push_back(dirty.is_null() ? "built from no known commit: not fit as evidence"
                                            : "built from a dirty tree: not fit as evidence");
  return verdict;
}

}  // namespace gonogo::reports
