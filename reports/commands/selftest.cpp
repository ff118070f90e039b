// gonogo selftest: how often the policy alarms on identical code, and what it finds.
#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "harness/record/strict_json.hpp"
#include "reports/commands/command.hpp"
#include "reports/commands/pair_options.hpp"
#include "reports/selftest/selftest.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::reports {
namespace {

constexpr std::int64_t kSessions = 2000;
constexpr std::size_t kQuickSessions = 300;

class SelfTestCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "selftest"; }
  [[nodiscard]] std::string description() const override {
    return "Count the policy's false alarms and detections on sessions of known truth.";
  }

  void declare(cli::OptionSet& options) override {
    options.group("Policy");
    options.integer("--blocks", blocks_, {.min = 1, .max = 1000}, "Blocks of a session");
    options.integer("--samples", samples_, {.min = 2, .max = 100000}, "Samples of a process");
    options.integer("--rows", rows_, {.min = 1, .max = 1000}, "Metrics tested together");
    options.real("--practical", practical_, {.min = 0, .max = 1000}, "Changes up to this many percent do not matter");
    options.real("--alpha", plan_.rule.alpha, {.min = 1e-6, .max = 0.5}, "Chance of any false alarm over all metrics");
    options.group("Targets");
    options.real("--most-false-alarms", most_false_alarms_, {.min = 0, .max = 100}, "Percent of sessions");
    options.real("--target", target_, {.min = 1e-3, .max = 1000}, "Slow-down in percent that must be found");
    options.real("--least-detection", least_detection_, {.min = 0, .max = 100}, "Percent of sessions");
    options.group("Simulation");
    options.integer("--sessions", sessions_, {.min = 50, .max = 1000000}, "Sessions of each scenario and effect");
    options.flag("--quick", quick_, "300 sessions each of no effect and of the target: seconds, for CI");
    options.integer("--seed", seed_, {.min = 0, .max = 1LL << 53}, "Seed of every draw");
    options.text("--journal", journal_, "Take the noise from this A/A session of gonogo calibrate instead");
    options.flag("--peers", peers_, "Put the rules of other tools beside, on the same truth");
    options.group("Output");
    options.text("--json", json_, "Write the counts as JSON to FILE, - for stdout");
    options.text("--md", markdown_, "Write the table as Markdown to FILE, - for stdout");
  }

  core::ExitCode run() override {
    for (const auto& output : {json_, markdown_})
      if (output) record::check_writable(*output);
    if (json_ && json_ == markdown_) throw core::UsageError(fmt::format("--json and --md both go to {}", *json_));
    if (peers_ && (journal_ || rows_ != 1))
      throw core::UsageError("--peers simulates one metric: it goes with neither --journal nor --rows");
    if (quick_ && sessions_ != kSessions) throw core::UsageError("--quick fixes the sessions: leave --sessions out");
    fill_plan();
    const SelfTestResult result = count();
    if (json_) record::write_file(*json_, record::dump_strict(with_build(to_json(result))));
    if (markdown_) record::write_file(*markdown_, to_markdown(result));
    if (json_ != "-" && markdown_ != "-") fmt::print("{}", to_text(result));
    return result.passed ? core::ExitCode::ok : core::ExitCode::failed_rows;
  }

 private:
  void fill_plan() {
    plan_.budget = {.processes = static_cast<std::size_t>(blocks_), .samples = static_cast<std::size_t>(samples_)};
    plan_.rows = static_cast<std::size_t>(rows_);
    plan_.sessions = quick_ ? kQuickSessions : static_cast<std::size_t>(sessions_);
    plan_.seed = static_cast<std::uint64_t>(seed_);
    plan_.rule.practical = practical_ / 100;
    plan_.most_false_alarms = most_false_alarms_ / 100;
    plan_.target_effect = target_ / 100;
    plan_.least_detection = least_detection_ / 100;
    if (quick_) plan_.effects.clear();
    if (std::find(plan_.effects.begin(), plan_.effects.end(), plan_.target_effect) == plan_.effects.end())
      plan_.effects.push_back(plan_.target_effect);
  }

  [[nodiscard]] SelfTestResult count() const {
    if (journal_) return self_test_recorded(plan_, read_journal(*journal_));
    return peers_ ? compare_rules(plan_, shipped_scenarios()) : self_test(plan_, shipped_scenarios());
  }

  SelfTestPlan plan_;
  std::int64_t blocks_ = 12, samples_ = 20, rows_ = 1, sessions_ = kSessions, seed_ = 1;
  double practical_ = 1, most_false_alarms_ = 5, target_ = 5, least_detection_ = 80;
  bool quick_ = false, peers_ = false;
  std::optional<std::string> journal_, json_, markdown_;
};

}  // namespace

std::unique_ptr<Command> selftest_command() { return std::make_unique<SelfTestCommand>(); }

}  // namespace gonogo::reports
