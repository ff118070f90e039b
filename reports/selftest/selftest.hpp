// Does the policy keep its own promises? False alarms and detections counted over simulated sessions of known truth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/exit_code.hpp"
#include "reports/pair/journal.hpp"
#include "reports/selftest/rules.hpp"

namespace gonogo::reports {

struct SelfTestPlan {
  Budget budget;
  DecisionRule rule;
  std::size_t rows = 1;         // metrics tested together
  std::size_t sessions = 2000;  // per scenario and effect
  std::vector<double> effects = {0.01, 0.02, 0.05};
  double most_false_alarms = 0.05;  // of sessions of identical code, any call counted
  double target_effect = 0.05;      // must be among the effects
  double least_detection = 0.8;
  std::uint64_t seed = 1;
};

/// How often sessions of one truth were called.
struct Count {
  double effect = 0;
  std::size_t sessions = 0, slower = 0, faster = 0;
};

struct ScenarioResult {
  std::string rule, scenario;
  std::vector<Count> counts;                 // identical code first
  double false_alarms_at_most = 1;           // one-sided Clopper-Pearson bound at 95 %, calls in either direction
  std::optional<double> detection_at_least;  // of the target effect
  bool holds = false;
};

struct SelfTestResult {
  SelfTestPlan plan;
  std::vector<ScenarioResult> scenarios;
  bool passed = false;
};

/// Rejects a plan that can never fire (core::UsageError with the numbers). Sessions of one scenario and effect draw
/// from a seed of their own: more scenarios do not change the others.
[[nodiscard]] SelfTestResult self_test(const SelfTestPlan& plan, const std::vector<Scenario>& scenarios);
/// The policy on the recorded noise of an A/A session, metric by metric: blocks are drawn from it with replacement.
[[nodiscard]] SelfTestResult self_test_recorded(const SelfTestPlan& plan, const JournalContent& content);
/// Every rule of peer_rules() on every scenario; `passed` tells of gonogo alone.
[[nodiscard]] SelfTestResult compare_rules(const SelfTestPlan& plan, const std::vector<Scenario>& scenarios);

[[nodiscard]] std::string to_text(const SelfTestResult& result);
[[nodiscard]] std::string to_markdown(const SelfTestResult& result);
[[nodiscard]] Json to_json(const SelfTestResult& result);

}  // namespace gonogo::reports
