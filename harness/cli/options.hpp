// Options of a program: declared once, parsed strictly, and echoed as the effective configuration into the record.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/axis.hpp"
#include "harness/cli/numbers.hpp"
#include "harness/record/json.hpp"

namespace gonogo::cli {

enum class Parsed {
  run,   // go on
  done,  // --help, --version or --schema was asked and is printed on stdout: exit 0
};

/// Every target keeps its value as the default. Flags are written "--past"; "-h,--help" exists from the start.
/// All that is wrong with a command line is core::UsageError: an unknown option (with the nearest match), a stray
/// argument, a missing or repeated value, a value out of range. A value may start with a minus sign.
class OptionSet {
 public:
  OptionSet(std::string program, std::string description);
  ~OptionSet();
  OptionSet(const OptionSet&) = delete;
  OptionSet& operator=(const OptionSet&) = delete;

  /// Heading in --help for the options that follow.
  void group(const std::string& heading);
  void integer(const std::string& flag, std::int64_t& target, IntegerRange range, const std::string& help);
  void real(const std::string& flag, double& target, RealRange range, const std::string& help);
  void text(const std::string& flag, std::string& target, const std::string& help);
  void choice(const std::string& flag, std::string& target, const std::vector<std::string>& choices,
              const std::string& help);
  /// Without a default: absent unless given.
  void integer(const std::string& flag, std::optional<std::int64_t>& target, IntegerRange range,
               const std::string& help);
  void real(const std::string& flag, std::optional<double>& target, RealRange range, const std::string& help);
  void text(const std::string& flag, std::optional<std::string>& target, const std::string& help);
  void choice(const std::string& flag, std::optional<std::string>& target, const std::vector<std::string>& choices,
              const std::string& help);
  /// A sweep axis; an empty target is shown as "none".
  void axis(const std::string& flag, std::vector<std::int64_t>& target, const AxisRule& rule, const std::string& help);
  void flag(const std::string& flag, bool& target, const std::string& help);
  /// An argument without a flag; required, and not empty.
  void positional(const std::string& name, std::string& target, const std::string& help);
  /// One or more arguments without a flag, the last ones; required.
  void positionals(const std::string& name, std::vector<std::string>& targets, const std::string& help);

  /// A subcommand with options of its own; exactly one must be given when any exists.
  OptionSet& command(const std::string& name, const std::string& description);
  /// The chosen subcommand's name after parse(); empty without subcommands.
  [[nodiscard]] std::string chosen() const;

  [[nodiscard]] Parsed parse(int argc, const char* const* argv);
  /// Every option (without its dashes) and its value, given or default.
  [[nodiscard]] record::Json effective() const;

 private:
  struct Impl;
  explicit OptionSet(std::unique_ptr<Impl> impl);
  void value(const std::string& flag, const std::string& help, std::function<void(const std::string&)> set);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gonogo::cli
