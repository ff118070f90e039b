// gonogo: reads run records and says what they mean.
#include <algorithm>
#include <memory>
#include <vector>

#include "harness/cli/options.hpp"
#include "harness/cli/run_main.hpp"
#include "harness/core/error.hpp"
#include "reports/commands/command.hpp"

namespace gonogo::reports {
namespace {

core::ExitCode run(int argc, char** argv) {
  cli::OptionSet options("gonogo", "Judge and compare run records.");
  const std::vector<std::unique_ptr<Command>> all = commands();
  for (const auto& command : all) command->declare(options.command(command->name(), command->description()));
  if (options.parse(argc, argv) == cli::Parsed::done) return core::ExitCode::ok;
  const auto chosen =
      std::find_if(all.begin(), all.end(), [&](const auto& command) { return command->name() == options.chosen(); });
  GONOGO_EXPECT(chosen != all.end(), "a command was chosen");
  return (*chosen)->run();
}

}  // namespace
}  // namespace gonogo::reports

int main(int argc, char** argv) { return gonogo::cli::run_main(argc, argv, "gonogo", gonogo::reports::run); }
