// What a self-test counted, as text, Markdown and data.
#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>

#include "harness/stats/binomial.hpp"
#include "reports/render/table.hpp"
#include "reports/selftest/selftest.hpp"

namespace gonogo::reports {
namespace {

std::string share(std::size_t part, std::size_t whole) {
  return fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

bool several_rules(const SelfTestResult& result) {
  return std::any_of(result.scenarios.begin(), result.scenarios.end(),
                     [&](const ScenarioResult& row) { return row.rule != result.scenarios.front().rule; });
}

// A rule whose true rate is the limit itself can be shown neither above nor below it.
std::string kept_text(const SelfTestResult& result, const ScenarioResult& row) {
  const Count& same = row.counts.front();
  if (row.false_alarms_at_most <= result.plan.most_false_alarms) return "yes";
  const bool above = *stats::rate_at_least(same.slower + same.faster, same.sessions) > result.plan.most_false_alarms;
  return above ? "no" : "at the limit";
}

Table table_of(const SelfTestResult& result) {
  const bool rules = several_rules(result);
  Table table{.title = "", .columns = {{"noise", Align::left}}, .rows = {}, .notes = {}};
  if (rules) table.columns.push_back({"rule", Align::left});
  table.columns.insert(table.columns.end(), {{"false alarms"}, {"at most"}});
  for (const double effect : result.plan.effects) table.columns.push_back({fmt::format("finds +{:g} %", effect * 100)});
  table.columns.push_back(
      {rules ? fmt::format("keeps {:g} %", result.plan.most_false_alarms * 100) : "verdict", Align::left});
  std::string scenario;
  for (const ScenarioResult& row : result.scenarios) {
    std::vector<std::string> cells = {row.scenario == scenario ? "" : row.scenario};
    scenario = row.scenario;
    if (rules) cells.push_back(row.rule);
    const Count& same = row.counts.front();
    cells.push_back(share(same.slower + same.faster, same.sessions));
    cells.push_back(fmt::format("{:.1f} %", row.false_alarms_at_most * 100));
    for (std::size_t i = 1; i < row.counts.size(); ++i)
      cells.push_back(share(row.counts[i].slower, row.counts[i].sessions));
    cells.push_back(rules ? kept_text(result, row) : row.holds ? "holds" : "FAILS");
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string first_line(const SelfTestResult& result) {
  const SelfTestPlan& plan = result.plan;
  return fmt::format(
      "{}: {} blocks, practical size {:g} %, {} metric{}; wanted at most {:g} % false alarms and at least {:g} % of "
      "slow-downs by {:g} % found, each by its 95 % bound over {} sessions",
      result.passed ? "PASSED" : "FAILED", plan.budget.processes, plan.rule.practical * 100, plan.rows,
      plan.rows == 1 ? "" : "s", plan.most_false_alarms * 100, plan.least_detection * 100, plan.target_effect * 100,
      plan.sessions);
}

constexpr const char* kLegend =
    "False alarms: sessions of identical code that were called slower or faster; at most: their rate by Clopper and "
    "Pearson's one-sided 95 % bound. A change no larger than the practical size is not called, by intent.";

Json count_json(const Count& count) {
  const auto interval = *stats::clopper_pearson(count.slower, count.sessions);
  return {{"effect", count.effect},
          {"sessions", count.sessions},
          {"slower", count.slower},
          {"faster", count.faster},
          {"slower_rate_95", {interval.low, interval.high}}};
}

Json scenario_json(const ScenarioResult& row) {
  Json counts = Json::array();
  for (const Count& count : row.counts) counts.push_back(count_json(count));
  return {{"rule", row.rule},
          {"scenario", row.scenario},
          {"false_alarms_at_most", row.false_alarms_at_most},
          {"detection_at_least", row.detection_at_least ? Json(*row.detection_at_least) : Json(nullptr)},
          {"holds", row.holds},
          {"counts", std::move(counts)}};
}

Json truth_json() {
  Json scenarios = Json::array();
  for (const Scenario& scenario : shipped_scenarios())
    scenarios.push_back({{"name", scenario.name},
                         {"within", scenario.within},
                         {"between", scenario.between},
                         {"drift", scenario.drift},
                         {"tails", scenario.tails == Tails::heavy ? "heavy" : "normal"}});
  return scenarios;
}

}  // namespace

std::string to_text(const SelfTestResult& result) {
  return fmt::format("{}\n\n{}\n{}\n", first_line(result), text_table(table_of(result)), kLegend);
}

std::string to_markdown(const SelfTestResult& result) {
  std::string text = fmt::format("**{}**\n\n{}\n{}\n", first_line(result), markdown_table(table_of(result)), kLegend);
  if (!several_rules(result)) return text;
  text += "\n";
  for (const PeerRule& rule : peer_rules(result.plan.budget, result.plan.rule))
    text += fmt::format("- {}: {}\n", rule.name, rule.how);
  return text;
}

Json to_json(const SelfTestResult& result) {
  const SelfTestPlan& plan = result.plan;
  Json rows = Json::array(), rules = Json::object();
  for (const ScenarioResult& row : result.scenarios) rows.push_back(scenario_json(row));
  for (const PeerRule& rule : peer_rules(plan.budget, plan.rule)) rules[rule.name] = rule.how;
  return {{"schema", "gonogo/selftest"},
          {"schema_version", 1},
          {"passed", result.passed},
          {"plan",
           {{"blocks", plan.budget.processes},
            {"samples", plan.budget.samples},
            {"rows", plan.rows},
            {"sessions", plan.sessions},
            {"seed", plan.seed},
            {"alpha", plan.rule.alpha},
            {"practical", plan.rule.practical},
            {"most_false_alarms", plan.most_false_alarms},
            {"target_effect", plan.target_effect},
            {"least_detection", plan.least_detection}}},
          {"truth", truth_json()},
          {"rules", several_rules(result) ? rules : Json{{"gonogo", rules["gonogo"]}}},
          {"results", std::move(rows)}};
}

}  // namespace gonogo::reports
