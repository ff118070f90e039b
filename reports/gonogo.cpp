// gonogo: reads run records and says what they mean.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>

#include "harness/cli/options.hpp"
#include "harness/cli/run_main.hpp"
#include "harness/core/error.hpp"
#include "harness/record/strict_json.hpp"
#include "reports/verdict/verdict.hpp"

namespace gonogo::reports {
namespace {

struct VerdictOptions {
  std::string run;
  std::string stack;
  std::optional<std::string> gates, json, baseline;
  bool explain = false;
};

void declare(cli::OptionSet& command, VerdictOptions& options) {
  command.positional("run", options.run, "The run record (JSON)");
  command.text("--gates", options.gates, "Folder of gate files [those shipped with the program]");
  command.text("--stack", options.stack, "Stack to judge [latest, else the only one]");
  command.text("--baseline", options.baseline, "NAME=FILE: the record that gates know as NAME");
  command.text("--json", options.json, "Write the verdict as JSON to FILE, - for stdout");
  command.flag("--explain", options.explain, "Show every comparison");
}

core::ExitCode run_verdict(const VerdictOptions& options) {
  if (options.json) record::check_writable(*options.json);
  const Json run = record::read_record(options.run);
  const auto gates = options.gates ? load_gates(*options.gates) : shipped_gates();
  std::map<std::string, Json> baselines;
  if (options.baseline) {
    const auto equals = options.baseline->find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == options.baseline->size())
      throw core::UsageError(fmt::format("--baseline: wanted NAME=FILE, got '{}'", *options.baseline));
    baselines[options.baseline->substr(0, equals)] = record::read_record(options.baseline->substr(equals + 1));
  }
  JudgeInputs inputs{.record = run, .stack = options.stack};
  for (const auto& [name, record] : baselines) inputs.baselines[name] = &record;
  const Verdict verdict = judge(inputs, gates);
  if (options.json) record::write_file(*options.json, record::dump_strict(to_json(verdict)));
  if (options.json != "-") fmt::print("{}", to_text(verdict, options.explain));
  return verdict.exit_code;
}

core::ExitCode run(int argc, char** argv) {
  cli::OptionSet options("gonogo", "Judge run records against gates.");
  VerdictOptions verdict;
  declare(options.command("verdict", "GO or NO-GO for one run, by the gates; the exit code says it too"), verdict);
  if (options.parse(argc, argv) == cli::Parsed::done) return core::ExitCode::ok;
  return run_verdict(verdict);  // the only command so far
}

}  // namespace
}  // namespace gonogo::reports

int main(int argc, char** argv) { return gonogo::cli::run_main(argc, argv, "gonogo", gonogo::reports::run); }
