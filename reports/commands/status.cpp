#include "reports/decisions/status.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <optional>

#include "harness/record/build_info.hpp"
#include "reports/commands/command.hpp"
#include "reports/commands/decisions_named.hpp"
#include "reports/render/table.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::reports {
namespace {

class StatusCommand final : public Command {
 public:
  std::string name() const override { return "status"; }
  std::string description() const override {
    return "Which decisions are current, STALE, superseded or retracted, and why";
  }

  void declare(cli::OptionSet& options) override {
    options.positionals("decisions", words_, "Ids, files or folders of decisions");
    options.text("--decisions", folder_, "The decisions folder");
    options.text("--against", against_, "A newer run record to hold them against [newer ones in DIR/evidence]");
    options.text("--sha", sha_, "The commit that is current, where no newer run tells [this program's]");
    options.real("--tolerance", tolerance_, {0.0, 10.0}, "Share by which the M=1 median may move");
    options.text("--gates", gates_, "Folder of gate files [DIR/gates, else those shipped with the program]");
  }

  core::ExitCode run() override {
    const Store store = read_store(folder_);
    Now now{.git_sha = sha_.value_or(own_sha()),
            .runs = {},
            .tolerance = tolerance_,
            .gates = gates_ ? load_gates(*gates_) : gates_of(folder_)};
    std::optional<Json> against;
    if (against_) against = record::read_record(*against_);
    Table table{
        .title = "",
        .columns = {{"decision", Align::left}, {"verdict", Align::left}, {"state", Align::left}, {"why", Align::left}},
        .rows = {},
        .notes = {}};
    core::ExitCode code = core::ExitCode::ok;
    for (const PlacedDrop& placed : decisions_named(words_, store)) {
      now.runs = against ? std::vector<Json>{*against} : newer_evidence(store, placed);
      const Status status = status_of(store, placed, now);
      if (status.state == State::stale) code = core::ExitCode::inconclusive;
      const auto& reasons = status.reasons;
      table.rows.push_back({placed.id, placed.drop.front.at("verdict").get<std::string>(),
                            std::string(name_of(status.state)), reasons.empty() ? "" : reasons.front()});
      for (std::size_t i = 1; i < reasons.size(); ++i) table.rows.push_back({"", "", "", reasons[i]});
    }
    fmt::print("{}", text_table(table));
    return code;
  }

 private:
  static std::string own_sha() {
    const auto& build = record::build_info();
    return build.git_sha == "unknown" ? "" : build.git_sha;
  }

  std::vector<std::string> words_;
  std::string folder_ = "decisions";
  std::optional<std::string> against_, sha_, gates_;
  double tolerance_ = 0.05;
};

}  // namespace

std::unique_ptr<Command> status_command() { return std::make_unique<StatusCommand>(); }

}  // namespace gonogo::reports
