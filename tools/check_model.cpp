// Runs model folders against their recorded answers: a line per failure, then how many were right, refused and wrong.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>

#include "harness/cli/run_main.hpp"
#include "harness/core/error.hpp"
#include "tools/model_check.hpp"

namespace {

using namespace gonogo;

core::ExitCode run(const std::vector<std::string>& folders, const tools::ModelCheckOptions& options, bool verbose) {
  // Every reference is read before any model runs: a wrong argument is told at once.
  std::vector<std::vector<tools::Reference>> references;
  for (const std::string& folder : folders) references.push_back(tools::read_references(folder));
  std::map<tools::Outcome, int> counts;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const tools::ModelResult result = tools::check_model(folders[i], references[i], options);
    ++counts[result.outcome];
    const char* word = result.outcome == tools::Outcome::refused ? "refused" : "wrong";
    for (const std::string& line : result.lines) fmt::print("{}: {}: {}\n", folders[i], word, line);
    if (verbose && result.outcome == tools::Outcome::right) fmt::print("{}: right\n", folders[i]);
    std::fflush(stdout);
  }
  const int wrong = counts[tools::Outcome::wrong];
  fmt::print("right {}\nrefused {}\nwrong {}\n", counts[tools::Outcome::right], counts[tools::Outcome::refused], wrong);
  return wrong > 0 ? core::ExitCode::failed_rows : core::ExitCode::ok;
}

core::ExitCode parse_and_run(int argc, char** argv) {
  CLI::App app(
      "Runs model folders against their reference.json or golden*.json, eager and captured, width 1 and wider");
  std::vector<std::string> folders;
  std::vector<std::string> stacks{"before", "latest"};
  std::string int8_activations = "off";
  tools::ModelCheckOptions options;
  bool verbose = false;
  app.add_option("DIR", folders, "Model folders with recorded answers")->required();
  app.add_option("--levers", stacks, "Stacks of levers to run under, comma-separated")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--int8-activations", int8_activations,
                 "Honour accuracy_level 4: quantise activations to int8 per block")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "Threads; 0: all")->check(CLI::NonNegativeNumber)->capture_default_str();
  app.add_flag("--verbose", verbose, "Print a line for every folder");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? core::ExitCode::ok : core::ExitCode::usage;
  }
  for (const std::string& stack : stacks) options.stacks.push_back(engine::parse_stack(stack));
  options.int8_activations = int8_activations == "on";
  return run(folders, options, verbose);
}

}  // namespace

int main(int argc, char** argv) { return cli::run_main(argc, argv, "check_model", parse_and_run); }
