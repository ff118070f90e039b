#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <deque>
#include <filesystem>
#include <optional>

#include "harness/record/sha256.hpp"
#include "harness/record/strict_json.hpp"
#include "reports/commands/command.hpp"
#include "reports/commands/lists.hpp"
#include "reports/html/page.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::reports {
namespace {

class HtmlCommand final : public Command {
 public:
  std::string name() const override { return "html"; }
  std::string description() const override {
    return "One self-contained page: verdict, curves, arc, seams, prefill, sortable tables";
  }

  void declare(cli::OptionSet& options) override {
    options.positionals("runs", runs_, "Run records, oldest first; the last one is judged");
    options.text("--out,-o", out_, "File to write, - for stdout");
    options.text("--title", input_.title, "Title of the page [the record's name]");
    options.text("--stack", input_.request.stack, "Only this stack of each record");
    options.integer("--m", input_.request.m, {2, 4096}, "Verify width");
    options.text("--past", input_.request.past, "Cached tokens at which times are shown [the largest most runs have]");
    options.text("--gate", input_.request.gate_id, "Gate whose outcome stands beside each step");
    options.text("--gates", gates_, "Folder of gate files [those shipped with the program]");
    options.text("--baseline", baseline_, "NAME=FILE: the record that gates know as NAME");
    options.text("--allow", allow_, "What may differ between the runs: device, model, or both by a comma");
  }

  core::ExitCode run() override {
    record::check_writable(out_);
    input_.request.allowed = names_in("--allow", allow_, {"device", "model"});
    std::deque<Json> records;
    for (const auto& file : runs_) {
      const std::string text = record::read_text(file);
      records.push_back(record::parse_record(text, file));
      input_.runs.push_back({std::filesystem::path(file).filename().string(), record::sha256(text), &records.back()});
    }
    input_.gates = gates_ ? load_gates(*gates_) : shipped_gates();
    Json baseline;
    if (baseline_) {
      const auto [known_as, file] = named_file("--baseline", *baseline_);
      baseline = record::read_record(file);
      input_.baselines[known_as] = &baseline;
    }
    if (input_.title.empty()) input_.title = input_.runs.back().file;
    const Page page = make_page(input_);
    record::write_file(out_, page.html);
    if (out_ != "-") fmt::print("{}: {}\n", out_, name_of(page.verdict.overall));
    return page.verdict.exit_code;
  }

 private:
  PageInput input_{.title = "", .runs = {}, .request = {.gate_id = "fund-verify"}, .gates = {}, .baselines = {}};
  std::vector<std::string> runs_;
  std::string out_ = "report.html", allow_;
  std::optional<std::string> gates_, baseline_;
};

}  // namespace

std::unique_ptr<Command> html_command() { return std::make_unique<HtmlCommand>(); }

}  // namespace gonogo::reports
