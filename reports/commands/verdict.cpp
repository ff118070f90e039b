#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "harness/record/strict_json.hpp"
#include "reports/commands/command.hpp"
#include "reports/commands/lists.hpp"
#include "reports/verdict/verdict.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::reports {
namespace {

class VerdictCommand final : public Command {
 public:
  std::string name() const override { return "verdict"; }
  std::string description() const override {
    return "GO or NO-GO for one run, by the gates; the exit code says it too";
  }

  void declare(cli::OptionSet& options) override {
    options.positional("run", run_, "The run record (JSON)");
    options.text("--gates", gates_, "Folder of gate files [those shipped with the program]");
    options.text("--stack", stack_, "Stack to judge [latest, else the only one]");
    options.text("--baseline", baseline_, "NAME=FILE: the record that gates know as NAME");
    options.text("--json", json_, "Write the verdict as JSON to FILE, - for stdout");
    options.flag("--explain", explain_, "Show every comparison");
  }

  core::ExitCode run() override {
    if (json_) record::check_writable(*json_);
    const Json record = record::read_record(run_);
    const auto gates = gates_ ? load_gates(*gates_) : shipped_gates();
    const std::map<std::string, Json> baselines = read_baseline();
    JudgeInputs inputs{.record = record, .stack = stack_};
    for (const auto& [baseline, content] : baselines) inputs.baselines[baseline] = &content;
    const Verdict verdict = judge(inputs, gates);
    if (json_) record::write_file(*json_, record::dump_strict(to_json(verdict)));
    if (json_ != "-") fmt::print("{}", to_text(verdict, explain_));
    return verdict.exit_code;
  }

 private:
  [[nodiscard]] std::map<std::string, Json> read_baseline() const {
    std::map<std::string, Json> baselines;
    if (!baseline_) return baselines;
    const auto [baseline, file] = named_file("--baseline", *baseline_);
    baselines[baseline] = record::read_record(file);
    return baselines;
  }

  std::string run_;
  std::string stack_;
  std::optional<std::string> gates_, json_, baseline_;
  bool explain_ = false;
};

}  // namespace

std::unique_ptr<Command> verdict_command() { return std::make_unique<VerdictCommand>(); }

}  // namespace gonogo::reports
