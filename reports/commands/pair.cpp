// gonogo pair --a 'CMD' --b 'CMD': is b slower than a? Fresh processes in ABBA order.
#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <optional>
#include <string>

#include "harness/record/strict_json.hpp"
#include "reports/commands/command.hpp"
#include "reports/commands/pair_options.hpp"
#include "reports/pair/result.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::reports {
namespace {

class PairCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "pair"; }
  [[nodiscard]] std::string description() const override {
    return "Compare two commands in fresh processes, in ABBA order.";
  }

  void declare(cli::OptionSet& options) override {
    options.group("What");
    options.text("--a", given_.a,
                 "The base: a shell command that writes a record or Google Benchmark JSON to {out} or stdout");
    options.text("--b", given_.b, "The candidate, alike");
    options.text("--control", given_.control, "The code of a once more: shows what identical code does here");
    declare_session(options, given_, "the headline ones");
    options.group("Decision");
    options.text("--practical", given_.practical, "Changes up to this many percent do not matter [1]");
    options.text("--alpha", given_.alpha, "Chance of any false alarm over all metrics [0.05]");
    options.text("--noise", noise_, "A/A noise floors from gonogo calibrate");
    options.real("--noise-times", rule_.floor_times, {.min = 0, .max = 100},
                 "A change must exceed this many noise floors");
    options.real("--timer-floor", rule_.timer_floor_ns, {.min = 0, .max = 1e9},
                 "Changes of a time below this many ns are the timer's");
    options.group("Output");
    options.text("--json", json_, "Write the result as JSON to FILE, - for stdout");
    options.text("--md", markdown_, "Write the result as Markdown to FILE, - for stdout");
  }

  core::ExitCode run() override {
    for (const auto& output : {json_, markdown_})
      if (output) record::check_writable(*output);
    if (json_ && json_ == markdown_) throw core::UsageError(fmt::format("--json and --md both go to {}", *json_));
    const auto noise = noise_ ? std::optional(read_noise(*noise_)) : std::nullopt;
    Journal journal = open_journal(given_, name());
    const PairPlan plan = journal.content().plan;
    if (!run_to_the_end(journal, name(),
                        {.chosen = [&](std::size_t metrics) { check_reach(plan, metrics); }, .kept = {}}))
      return core::ExitCode::inconclusive;
    const PairResult result = judge_session(journal.content(), noise, rule_);
    if (json_) record::write_file(*json_, record::dump_strict(with_build(to_json(result, journal.content()))));
    if (markdown_) record::write_file(*markdown_, to_markdown(result, journal.content()));
    if (json_ != "-" && markdown_ != "-") fmt::print("{}", to_text(result, journal.content()));
    return result.exit_code;
  }

 private:
  PairOptions given_;
  DecisionRule rule_;
  std::optional<std::string> noise_, json_, markdown_;
};

}  // namespace

std::unique_ptr<Command> pair_command() { return std::make_unique<PairCommand>(); }

}  // namespace gonogo::reports
