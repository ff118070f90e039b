// Runs model folders against their recorded answers: a line per failure, then how many were right, refused and wrong.
#include <fmt/format.h>

#include <cstdio>

#include "engine/levers/stack.hpp"
#include "harness/cli/options.hpp"
#include "harness/cli/run_main.hpp"
#include "tools/model_check.hpp"

namespace gonogo::tools {
namespace {

struct Asked {
  std::vector<std::string> folders;
  ModelCheckOptions options;
  BackendChoice backend{.name = "cpu"};
  bool verbose = false;
};

core::ExitCode check(const Asked& asked) {
  // Every reference is read before any model runs: a wrong argument is told at once.
  std::vector<std::vector<Reference>> references;
  for (const std::string& folder : asked.folders) references.push_back(read_references(folder));
  const Backend backend(asked.backend);
  std::map<Outcome, int> counts;
  for (std::size_t i = 0; i < asked.folders.size(); ++i) {
    const std::string& folder = asked.folders[i];
    const ModelResult result = check_model(folder, references[i], asked.options, backend);
    ++counts[result.outcome];
    const char* word = result.outcome == Outcome::refused ? "refused" : "wrong";
    for (const std::string& line : result.lines) fmt::print("{}: {}: {}\n", folder, word, line);
    if (asked.verbose && result.outcome == Outcome::right) fmt::print("{}: right\n", folder);
    std::fflush(stdout);
  }
  return tell_counts(counts);
}

core::ExitCode run(int argc, char** argv) {
  Asked asked;
  std::string levers = "before,latest";
  std::string int8_activations = "off";
  std::int64_t threads = 0;
  cli::OptionSet set("check_model",
                     "Runs model folders against their reference.json or golden*.json, eager and captured, width 1 and "
                     "wider.");
  set.positionals("DIR", asked.folders, "Model folders with recorded answers");
  set.text("--levers", levers, "Stacks to run under: names, or sets such as before+gemm+norm");
  set.choice("--int8-activations", int8_activations, {"on", "off"},
             "Honour accuracy_level 4: quantise activations to int8 per block");
  set.choice("--backend", asked.backend.name, {"auto", "cpu", "cuda"}, "Where to run");
  set.integer("--device", asked.backend.device, {0, 1024}, "Device number of the backend");
  set.integer("--threads", threads, {.min = 0, .max = 4096}, "Threads; 0: all this process may use");
  set.flag("--verbose", asked.verbose, "Print a line for every folder");
  if (set.parse(argc, argv) == cli::Parsed::done) return core::ExitCode::ok;
  asked.options = {engine::parse_stacks(levers), int8_activations == "on", static_cast<int>(threads)};
  return check(asked);
}

}  // namespace
}  // namespace gonogo::tools

int main(int argc, char** argv) { return gonogo::cli::run_main(argc, argv, "check_model", gonogo::tools::run); }
