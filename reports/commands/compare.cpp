#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <optional>

#include "harness/record/strict_json.hpp"
#include "reports/commands/command.hpp"
#include "reports/commands/lists.hpp"
#include "reports/compare/comparison.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::reports {
namespace {

class CompareCommand final : public Command {
 public:
  std::string name() const override { return "compare"; }
  std::string description() const override {
    return "Two runs (or sets of runs) row by row: is the second one slower?";
  }

  void declare(cli::OptionSet& options) override {
    options.positional(
        "base", base_,
        "A run record, or JSON of Google Benchmark, nvbench, llama-bench, hyperfine, criterion; or a folder "
        "of them, one a process");
    options.positional("candidate", candidate_, "The same of what may have become slower");
    options.group("Decision");
    options.real("--practical", practical_, {0, 1000}, "Percent of change that does not matter");
    options.real("--alpha", policy_.alpha, {1e-6, 0.5}, "Chance of a false alarm over all rows");
    options.real("--floor-times", policy_.floor_times, {0, 100}, "k: a change must exceed k x the noise floor");
    options.text("--noise", noise_, "File of gonogo calibrate: the noise floor of each row on this machine");
    options.real("--process-floor", process_floor_, {0, 1000},
                 "Percent of noise between two processes, where one a side was run and none was measured");
    options.real("--timer-floor", policy_.timer_floor_ns, {0, 1e9}, "Nanoseconds a time must change by");
    options.flag("--gate", policy_.gate, "Make a claim: Holm's correction, and no noise floor taken on trust");
    options.flag("--paired", policy_.paired, "The i-th values of both sides were measured next to each other");
    options.text("--allow", allow_, "KEY,...: what the sides may differ in (device, model, levers, missing...)");
    options.text("--metric", metrics_, "NAME,...: compare these metrics only");
    options.group("Output");
    options.text("--json", json_, "Write everything as JSON to FILE, - for stdout");
    options.text("--md", md_, "Write the comment of a pull request to FILE, - for stdout");
    options.text("--csv", csv_, "Write every row as CSV to FILE, - for stdout");
    options.choice("--style", style_, {"plain", "seeds"}, "plain, or seeds: with an icon by the size of the change");
    options.flag("--all", all_, "Show unchanged rows too");
  }

  core::ExitCode run() override {
    check_outputs();
    policy_.practical = practical_ / 100;
    policy_.process_floor = process_floor_ / 100;
    if (allow_)
      for (auto& key : names_in("--allow", *allow_)) policy_.allowed.insert(key);
    if (metrics_) policy_.metrics = names_in("--metric", *metrics_);
    const auto base = read_side(base_), candidate = read_side(candidate_);
    if (noise_) policy_.noise = floors_from(*noise_, base, candidate);
    const RunComparison comparison = compare(base, candidate, policy_);
    const Style style = style_ == "seeds" ? Style::seeds : Style::plain;
    if (json_) record::write_file(*json_, record::dump_strict(to_json(comparison)));
    if (md_) record::write_file(*md_, to_markdown(comparison, style));
    if (csv_) record::write_file(*csv_, to_csv(comparison));
    if (!takes_stdout()) fmt::print("{}", to_text(comparison, style, all_));
    return comparison.exit_code;
  }

 private:
  [[nodiscard]] bool takes_stdout() const { return json_ == "-" || md_ == "-" || csv_ == "-"; }

  // Before anything is read: every output can be written, and no two go to one place.
  void check_outputs() const {
    std::set<std::string> seen;
    for (const auto* output : {&json_, &md_, &csv_}) {
      if (!*output) continue;
      if (!seen.insert(**output).second)
        throw core::UsageError(fmt::format("two outputs go to {}", **output == "-" ? "stdout" : **output));
      record::check_writable(**output);
    }
  }

  ComparePolicy policy_;
  double practical_ = 2, process_floor_ = 5;
  std::string base_, candidate_, style_ = "plain";
  std::optional<std::string> json_, md_, csv_, allow_, metrics_, noise_;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Command> compare_command() { return std::make_unique<CompareCommand>(); }

}  // namespace gonogo::reports
