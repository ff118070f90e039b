// gonogo calibrate --run 'CMD' --noise FILE: what identical code shows on this machine.
#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <optional>
#include <string>

#include "harness/record/strict_json.hpp"
#include "reports/commands/command.hpp"
#include "reports/commands/pair_options.hpp"
#include "reports/pair/calibrate.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::reports {
namespace {

class CalibrateCommand : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "calibrate"; }
  [[nodiscard]] std::string description() const override {
    return "Learn the A/A noise floor of a command's metrics on this machine.";
  }

  void declare(cli::OptionSet& options) override {
    options.group("What");
    options.text("--run", given_.a, "A shell command that writes a record or Google Benchmark JSON to {out} or stdout");
    declare_session(options, given_, "every one");
    options.group("Output");
    options.text("--noise", noise_, "Write the floors to FILE, - for stdout");
  }

  core::ExitCode run() override {
    if (!noise_) throw core::UsageError("--noise: name the file for the floors");
    record::check_writable(*noise_);
    given_.b = given_.a;
    if (given_.a && !given_.metrics) given_.metrics = "*";
    Journal journal = open_journal(given_, name());
    check_calibration(journal.content().plan);
    if (!run_to_the_end(journal, name(), {})) return core::ExitCode::inconclusive;
    const Calibration calibration = calibrate(journal.content());
    record::write_file(*noise_, record::dump_strict(with_build(to_json(calibration.noise))));
    if (noise_ != "-") fmt::print("{}", to_text(calibration));
    return calibration.noise.rows.empty() ? core::ExitCode::failed_rows : core::ExitCode::ok;
  }

 private:
  PairOptions given_;
  std::optional<std::string> noise_;
};

}  // namespace

std::unique_ptr<Command> calibrate_command() { return std::make_unique<CalibrateCommand>(); }

}  // namespace gonogo::reports
