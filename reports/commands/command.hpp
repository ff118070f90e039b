// A subcommand of gonogo: its options and what it does with them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/cli/options.hpp"
#include "harness/core/error.hpp"

namespace gonogo::reports {

class Command {
 public:
  virtual ~Command() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string description() const = 0;  // one line of --help
  virtual void declare(cli::OptionSet& options) = 0;
  /// After the options are parsed. Throws as harness/core/error.hpp says.
  [[nodiscard]] virtual core::ExitCode run() = 0;
};

[[nodiscard]] std::unique_ptr<Command> arc_command();
[[nodiscard]] std::unique_ptr<Command> consolidate_command();
[[nodiscard]] std::unique_ptr<Command> drop_command();
[[nodiscard]] std::unique_ptr<Command> html_command();
[[nodiscard]] std::unique_ptr<Command> import_command();
[[nodiscard]] std::unique_ptr<Command> predict_command();
[[nodiscard]] std::unique_ptr<Command> status_command();
[[nodiscard]] std::unique_ptr<Command> verify_command();
[[nodiscard]] std::unique_ptr<Command> verdict_command();
[[nodiscard]] std::unique_ptr<Command> compare_command();
[[nodiscard]] std::unique_ptr<Command> pair_command();
[[nodiscard]] std::unique_ptr<Command> calibrate_command();
[[nodiscard]] std::unique_ptr<Command> selftest_command();

/// Every subcommand, in the order of --help.
[[nodiscard]] std::vector<std::unique_ptr<Command>> commands();

}  // namespace gonogo::reports
