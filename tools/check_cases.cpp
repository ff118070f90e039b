// Runs a folder of operator cases: a line per failure, then how many were right, refused and wrong.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>

#include "harness/cli/run_main.hpp"
#include "harness/core/error.hpp"
#include "tools/case_check.hpp"

namespace {

using namespace gonogo;

core::ExitCode run(const std::string& folder, bool int8_activations, bool verbose) {
  graph::EvaluateOptions options;
  options.choice.int8_activations = int8_activations;
  options.threads = {kernels::available_threads()};
  std::map<tools::Outcome, int> counts;
  for (const tools::Case& one : tools::read_cases(folder)) {
    const tools::CaseResult result = tools::check_case(one, options);
    ++counts[result.outcome];
    if (result.outcome == tools::Outcome::wrong)
      fmt::print("{}: wrong: {}\n", one.tag, result.what);
    else if (result.outcome == tools::Outcome::refused)
      fmt::print("{}: refused: {}\n", one.tag, result.what);
    else if (verbose)
      fmt::print("{}: right{}{}\n", one.tag, result.what.empty() ? "" : ": refused as expected: ", result.what);
  }
  const int wrong = counts[tools::Outcome::wrong];
  fmt::print("right {}\nrefused {}\nwrong {}\n", counts[tools::Outcome::right], counts[tools::Outcome::refused], wrong);
  return wrong > 0 ? core::ExitCode::failed_rows : core::ExitCode::ok;
}

core::ExitCode parse_and_run(int argc, char** argv) {
  CLI::App app("Runs the operator cases of a folder (cases.jsonl and the ONNX files beside it)");
  std::string folder;
  std::string int8_activations = "on";
  bool verbose = false;
  app.add_option("DIR", folder, "Folder that holds cases.jsonl")->required();
  app.add_option("--int8-activations", int8_activations,
                 "Honour accuracy_level 4: quantise activations to int8 per block")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  app.add_flag("--verbose", verbose, "Print a line for every case");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? core::ExitCode::ok : core::ExitCode::usage;
  }
  return run(folder, int8_activations == "on", verbose);
}

}  // namespace

int main(int argc, char** argv) { return cli::run_main(argc, argv, "check_cases", parse_and_run); }
