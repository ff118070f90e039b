// Runs a folder of operator cases: a line per failure, then how many were right, refused and wrong.
#include <fmt/format.h>

#include "harness/cli/options.hpp"
#include "harness/cli/run_main.hpp"
#include "tools/case_check.hpp"

namespace gonogo::tools {
namespace {

core::ExitCode check(const std::string& folder, bool int8_activations, bool verbose) {
  graph::EvaluateOptions options;
  options.choice.int8_activations = int8_activations;
  options.threads = {kernels::available_threads()};
  std::map<Outcome, int> counts;
  for (const Case& one : read_cases(folder)) {
    const CaseResult result = check_case(one, options);
    ++counts[result.outcome];
    if (result.outcome == Outcome::wrong)
      fmt::print("{}: wrong: {}\n", one.tag, result.what);
    else if (result.outcome == Outcome::refused)
      fmt::print("{}: refused: {}\n", one.tag, result.what);
    else if (verbose)
      fmt::print("{}: right{}{}\n", one.tag, result.what.empty() ? "" : ": refused as expected: ", result.what);
  }
  return tell_counts(counts);
}

core::ExitCode run(int argc, char** argv) {
  std::string folder;
  std::string int8_activations = "on";
  bool verbose = false;
  cli::OptionSet set("check_cases", "Runs the operator cases of a folder: cases.jsonl and the ONNX files beside it.");
  set.positional("DIR", folder, "Folder that holds cases.jsonl");
  set.choice("--int8-activations", int8_activations, {"on", "off"},
             "Honour accuracy_level 4: quantise activations to int8 per block");
  set.flag("--verbose", verbose, "Print a line for every case");
  if (set.parse(argc, argv) == cli::Parsed::done) return core::ExitCode::ok;
  return check(folder, int8_activations == "on", verbose);
}

}  // namespace
}  // namespace gonogo::tools

int main(int argc, char** argv) { return gonogo::cli::run_main(argc, argv, "check_cases", gonogo::tools::run); }
