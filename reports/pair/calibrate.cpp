#include "reports/pair/calibrate.hpp"

#include <fmt/format.h>

#include <map>

#include "harness/core/error.hpp"
#include "reports/pair/result.hpp"
#include "reports/render/numbers.hpp"
#include "reports/render/table.hpp"

namespace gonogo::reports {
namespace {

std::string size_text(double log_ratio) { return fmt::format("{:.2f} %", log_ratio * 100); }

Table table_of(const NoiseFile& noise) {
  Table table{
      .title = "",
      .columns = {{"metric", Align::left}, {"typical"}, {"spread"}, {"one run a side"}, {"mean of all"}, {"blocks"}},
      .rows = {},
      .notes = {}};
  for (const auto& [name, row] : noise.rows)
    table.rows.push_back({name, quantity(row.typical, row.unit), size_text(row.stddev), size_text(row.run_floor),
                          size_text(row.mean_floor), fmt::format("{}", row.blocks)});
  return table;
}

}  // namespace

void check_calibration(const PairPlan& plan) {
  if (plan.a != plan.b) throw core::UsageError("the journal compares two commands: it is no calibration");
  if (plan.blocks < stats::kFewestForInterval)
    throw core::UsageError(fmt::format("--blocks: wanted at least {}, got {}", stats::kFewestForInterval, plan.blocks));
}

Calibration calibrate(const JournalContent& content) {
  Calibration result;
  result.noise.command = content.plan.a;
  if (!content.runs.empty()) {
    result.noise.facts = content.runs.front().readings.facts;
    result.noise.date = content.runs.back().started;
  }
  const auto orders = orders_of(content.plan);
  for (const PairedMetric& metric : paired_metrics(content, Arm::a, Arm::b)) {
    const auto row = decide(std::span(&metric, 1), orders, {.practical = 0}).front();
    if (row.call == Call::failed) {
      result.left_out.emplace_back(metric.name, row.reason);
      continue;
    }
    auto noise = noise_of(metric.a, metric.b, orders);
    if (!noise) {
      result.left_out.emplace_back(metric.name, fmt::format("{} blocks show no spread", metric.a.size()));
      continue;
    }
    noise->unit = metric.unit;
    noise->better = metric.better;
    result.noise.rows[metric.name] = *noise;
    // A mere look at many metrics: only what no luck explains is worth a word.
    if (row.p && row.p->p <= 0.001)
      result.warnings.push_back(fmt::format("{} moved by {:+.2f} % between two runs of the same code (p = {:.1e})",
                                            metric.name, *row.change * 100, row.p->p));
  }
  return result;
}

std::string to_text(const Calibration& calibration) {
  std::string text = fmt::format("A/A noise of {} metrics\n", calibration.noise.rows.size());
  if (!calibration.noise.rows.empty()) text += fmt::format("\n{}", text_table(table_of(calibration.noise)));
  text +=
      "\nspread: of the log-ratio of two fresh runs. One run a side: what 95 % of such pairs stay below. Mean of all: "
      "what is left over all blocks.\n";
  std::map<std::string, std::size_t> by_reason;
  for (const auto& [name, reason] : calibration.left_out) ++by_reason[reason];
  for (const auto& [reason, count] : by_reason) text += fmt::format("Left out: {} ({})\n", count, reason);
  for (const auto& warning : calibration.warnings) text += fmt::format("Note: {}\n", warning);
  return text;
}

}  // namespace gonogo::reports
