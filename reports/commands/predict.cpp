#include "reports/predict/predict.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <optional>

#include "harness/record/strict_json.hpp"
#include "reports/commands/command.hpp"
#include "reports/commands/lists.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::reports {
namespace {

class PredictCommand final : public Command {
 public:
  std::string name() const override { return "predict"; }
  std::string description() const override {
    return "Speed-up of speculative decoding from the measured B curve and an acceptance rate";
  }

  void declare(cli::OptionSet& options) override {
    options.positional("run", run_, "The run record with the widths measured");
    options.text("--acceptance", rate_, "Share of drafted tokens that are accepted, 0 to 1");
    options.text("--histogram", histogram_, "Or counts of verifies that accepted 0,1,2,... tokens, from a trace");
    options.real("--engaged", overheads_.engaged, {0.000001, 1.0}, "Share of steps that draft at all");
    options.real("--draft-cost", overheads_.per_token, {0.0, 1000.0}, "Of one drafted token, in decode steps");
    options.real("--overhead", overheads_.per_verify, {0.0, 1000.0},
                 "Of one verify beyond its forward, in decode steps");
    options.real("--idle-overhead", overheads_.idle, {0.0, 1000.0}, "Of a step that looked for a draft in vain");
    options.text("--stack", source_.stack, "Stack to take [latest, else the only one]");
    options.text("--past", source_.past, "Cached tokens [the most that were measured]");
    options.choice("--curve", curve_, {"verify", "replay"},
                   "Which B*: with what a verify brings to the host, or without");
    options.text("--md", md_, "Write the table as Markdown to FILE, - for stdout");
    options.text("--json", json_, "Write the prediction as JSON to FILE, - for stdout");
  }

  core::ExitCode run() override {
    for (const auto* file : {&md_, &json_})
      if (*file) record::check_writable(**file);
    const Acceptance acceptance = read_acceptance();
    source_.file = run_;
    source_.base = "bstar." + curve_;
    const ReadCurve read = read_curve(record::read_record(run_), source_);
    Forecast result = forecast(read.curve, acceptance, overheads_);
    result.stack = read.stack;
    result.past = read.past;
    result.curve_name = source_.base;
    result.decode_ms = read.decode_ms;
    if (md_) record::write_file(*md_, fmt::format("{}\n\n{}", headline(result), markdown_table(to_table(result))));
    if (json_) record::write_file(*json_, record::dump_strict(to_json(result)));
    if (md_ != "-" && json_ != "-") fmt::print("{}\n\n{}", headline(result), text_table(to_table(result)));
    return core::ExitCode::ok;
  }

 private:
  [[nodiscard]] Acceptance read_acceptance() const {
    if (rate_.has_value() == histogram_.has_value())
      throw core::UsageError("predict: wanted one of --acceptance and --histogram");
    Acceptance acceptance;
    if (rate_) {
      acceptance.rate = cli::parse_real(*rate_, "--acceptance", {0.0, 1.0});
      return acceptance;
    }
    std::int64_t verifies = 0;
    for (std::size_t at = 0; at <= histogram_->size();) {
      const auto comma = std::min(histogram_->find(',', at), histogram_->size());
      acceptance.histogram.push_back(
          cli::parse_integer(histogram_->substr(at, comma - at), "--histogram", {0, std::int64_t{1} << 40}));
      verifies += acceptance.histogram.back();
      at = comma + 1;
    }
    if (acceptance.histogram.size() < 2 || verifies == 0)
      throw core::UsageError("--histogram: wanted counts for 0, 1, ... accepted tokens, not all zero");
    return acceptance;
  }

  CurveSource source_;
  Overheads overheads_;
  std::string run_, curve_ = "verify";
  std::optional<std::string> rate_, histogram_, md_, json_;
};

}  // namespace

std::unique_ptr<Command> predict_command() { return std::make_unique<PredictCommand>(); }

}  // namespace gonogo::reports
