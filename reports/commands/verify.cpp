#include "reports/decisions/verify.hpp"

#include <fmt/format.h>

#include <optional>

#include "reports/commands/command.hpp"
#include "reports/commands/decisions_named.hpp"
#include "reports/render/table.hpp"

namespace gonogo::reports {
namespace {

class VerifyCommand final : public Command {
 public:
  std::string name() const override { return "verify"; }
  std::string description() const override {
    return "Hold decisions to their hashes: text, gates, evidence, and the verdict judged again";
  }

  void declare(cli::OptionSet& options) override {
    options.positionals("decisions", words_, "Ids, files or folders of decisions");
    options.text("--decisions", folder_, "The decisions folder, which evidence paths are relative to");
    options.text("--gates", gates_, "Folder of gate files [DIR/gates, else those shipped with the program]");
  }

  core::ExitCode run() override {
    const auto gates = gates_ ? load_gates(*gates_) : gates_of(folder_);
    core::ExitCode code = core::ExitCode::ok;
    bool first = true;
    for (const PlacedDrop& placed : decisions_named(words_, read_store(folder_))) {
      const auto checks = verify(placed, folder_, gates);
      const auto own = code_of(checks);
      Table table{.title = fmt::format("{}: {}", placed.id, own == core::ExitCode::ok ? "verified" : "REFUSED"),
                  .columns = {{"what", Align::left}, {"", Align::left}, {"why", Align::left}},
                  .rows = {},
                  .notes = {}};
      for (const Check& check : checks) table.rows.push_back({check.what, check.ok ? "ok" : "REFUSED", check.why});
      fmt::print("{}{}", first ? "" : "\n", text_table(table));
      first = false;
      code = core::stronger(code, own);
    }
    return code;
  }

 private:
  std::vector<std::string> words_;
  std::string folder_ = "decisions";
  std::optional<std::string> gates_;
};

}  // namespace

std::unique_ptr<Command> verify_command() { return std::make_unique<VerifyCommand>(); }

}  // namespace gonogo::reports
