#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <deque>
#include <optional>

#include "harness/record/strict_json.hpp"
#include "reports/arc/arc.hpp"
#include "reports/chart/chart.hpp"
#include "reports/commands/command.hpp"
#include "reports/commands/lists.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::reports {
namespace {

class ArcCommand final : public Command {
 public:
  std::string name() const override { return "arc"; }
  std::string description() const override { return "BEFORE -> now over commits or stacks: one row a step"; }

  void declare(cli::OptionSet& options) override {
    options.positionals("runs", runs_, "Run records, oldest first; every stack of each is a row");
    options.text("--stack", request_.stack, "Only this stack of each record");
    options.integer("--m", request_.m, {2, 4096}, "Verify width");
    options.text("--past", request_.past, "Cached tokens at which times are shown [the largest that most rows have]");
    options.text("--prompt", request_.prompt, "Prompt length of the prefill rate [the same]");
    options.text("--op", request_.op, "Operator of the DRAM share [gate_up, else the one most rows have]");
    options.text("--gate", request_.gate_id, "Gate whose outcome stands beside each row");
    options.text("--gates", gates_, "Folder of gate files [those shipped with the program]");
    options.text("--allow", allow_, "What may differ between the runs: device, model, or both by a comma");
    options.group("Output");
    options.text("--md", md_, "Write the table as Markdown to FILE, - for stdout");
    options.text("--svg", svg_, "Write charts as SVG to FILE, - for stdout");
    options.text("--json", json_, "Write the rows as JSON to FILE, - for stdout");
  }

  core::ExitCode run() override {
    for (const auto* file : {&md_, &svg_, &json_})
      if (*file) record::check_writable(**file);
    request_.allowed = names_in("--allow", allow_, {"device", "model"});
    std::deque<Json> records;
    std::vector<ArcInput> inputs;
    for (const auto& file : runs_) {
      records.push_back(record::read_record(file));
      inputs.push_back({file, &records.back()});
    }
    const Arc arc = build_arc(inputs, request_, gates_ ? load_gates(*gates_) : shipped_gates());
    if (md_) record::write_file(*md_, markdown_table(to_table(arc)));
    if (svg_) record::write_file(*svg_, svg_file(to_charts(arc)));
    if (json_) record::write_file(*json_, record::dump_strict(to_json(arc)));
    if (md_ != "-" && svg_ != "-" && json_ != "-") fmt::print("{}{}", text_table(to_table(arc)), to_bars(arc));
    return core::ExitCode::ok;
  }

 private:
  ArcRequest request_{.gate_id = "fund-verify"};
  std::vector<std::string> runs_;
  std::string allow_;
  std::optional<std::string> gates_, md_, svg_, json_;
};

}  // namespace

std::unique_ptr<Command> arc_command() { return std::make_unique<ArcCommand>(); }

}  // namespace gonogo::reports
