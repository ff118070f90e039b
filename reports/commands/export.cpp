#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <set>
#include <utility>

#include "harness/record/strict_json.hpp"
#include "reports/commands/command.hpp"
#include "reports/export/exports.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::reports {
namespace {

class ExportCommand final : public Command {
 public:
  std::string name() const override { return "export"; }
  std::string description() const override { return "One run in the forms that other tools read"; }

  void declare(cli::OptionSet& options) override {
    options.positional("run", run_, "A run record, or JSON of any tool that compare reads");
    options.text("--google", google_, "Google Benchmark JSON to FILE, - for stdout");
    options.text("--bencher", bencher_, "Bencher's metric format (BMF)");
    options.text("--action-smaller", smaller_, "github-action-benchmark, customSmallerIsBetter");
    options.text("--action-bigger", bigger_, "github-action-benchmark, customBiggerIsBetter");
  }

  core::ExitCode run() override {
    const std::pair<const std::optional<std::string>*, const char*> outputs[] = {{&google_, "--google"},
                                                                                 {&bencher_, "--bencher"},
                                                                                 {&smaller_, "--action-smaller"},
                                                                                 {&bigger_, "--action-bigger"}};
    std::set<std::string> seen;
    for (const auto& [output, flag] : outputs) {
      if (!*output) continue;
      if (!seen.insert(**output).second)
        throw core::UsageError(fmt::format("{}: another output goes to {} too", flag, **output));
      record::check_writable(**output);
    }
    if (seen.empty())
      throw core::UsageError("export: wanted at least one of --google, --bencher, --action-smaller, --action-bigger");
    const ImportedRun run = read_run(run_);
    const auto write = [&](const std::optional<std::string>& output, const char* flag, auto make) {
      if (!output) return;
      const Exported exported = make();
      if (exported.rows == 0)
        throw core::ResultError(fmt::format("{}: {} has no row that this form can hold", flag, run_));
      record::write_file(*output, record::dump_strict(exported.document));
      for (const std::string& row : exported.left_out) fmt::print(stderr, "{}: left out: {}\n", flag, row);
    };
    write(google_, "--google", [&] { return export_google(run); });
    write(bencher_, "--bencher", [&] { return export_bencher(run); });
    write(smaller_, "--action-smaller", [&] { return export_action(run, record::Better::lower); });
    write(bigger_, "--action-bigger", [&] { return export_action(run, record::Better::higher); });
    return core::ExitCode::ok;
  }

 private:
  std::string run_;
  std::optional<std::string> google_, bencher_, smaller_, bigger_;
};

}  // namespace

std::unique_ptr<Command> export_command() { return std::make_unique<ExportCommand>(); }

}  // namespace gonogo::reports
