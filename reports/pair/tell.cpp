// A judged session as text, Markdown and data.
#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/pair/result.hpp"
#include "reports/render/numbers.hpp"
#include "reports/render/table.hpp"

namespace gonogo::reports {
namespace {

std::string signed_change(double change) { return fmt::format("{:+.2f} %", change * 100); }

std::string p_text(double p) { return p < 0.001 ? fmt::format("{:.1e}", p) : fmt::format("{:.3f}", p); }

std::string first_line(const PairResult& result, const JournalContent& content) {
  const auto count = [&](Call call) {
    return std::count_if(result.rows.begin(), result.rows.end(), [&](const Decision& row) { return row.call == call; });
  };
  const auto plural = [](auto n, const char* word) { return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s"); };
  return fmt::format("{} · {} · {} · {} unchanged · {} inconclusive · {} failed ({} blocks, {} fresh processes)",
                     result.verdict, plural(count(Call::regression), "regression"),
                     plural(count(Call::improvement), "improvement"), count(Call::unchanged), count(Call::inconclusive),
                     count(Call::failed), content.plan.blocks, content.runs.size());
}

Table table_of(const std::vector<Decision>& rows, const DecisionRule& rule, const std::string& other) {
  Table table{.title = "",
              .columns = {{"metric", Align::left},
                          {"a"},
                          {other},
                          {"change"},
                          {fmt::format("{:g} % interval", 100 * (1 - rule.alpha)), Align::left},
                          {"threshold"},
                          {"p (Holm)"},
                          {"verdict", Align::left},
                          {"finds"},
                          {"blocks to settle"}},
              .rows = {},
              .notes = {}};
  for (const Decision& row : rows) {
    const auto shown = [&](double value) { return quantity(value, row.unit); };
    table.rows.push_back(
        {row.name, or_dash(row.a, shown), or_dash(row.b, shown), or_dash(row.change, signed_change),
         row.interval ? fmt::format("[{:+.2f}, {:+.2f}] %", row.interval->low * 100, row.interval->high * 100) : "-",
         fmt::format("±{:.2f} %", row.threshold * 100), or_dash(row.p_holm, p_text), std::string(name_of(row.call)),
         or_dash(row.detectable, [](double size) { return fmt::format("{:.2f} %", size * 100); }),
         row.settles ? fmt::format("{}", *row.settles) : "-"});
  }
  return table;
}

std::vector<std::string> reasons_of(const PairResult& result) {
  std::vector<std::string> lines;
  for (const Decision& row : result.rows)
    if (row.call == Call::inconclusive || row.call == Call::failed)
      lines.push_back(fmt::format("{}: {}", row.name, row.reason));
  return lines;
}

std::string finds_line(const DecisionRule& rule) {
  return fmt::format(
      "finds: the smallest true change such a session calls with a chance of {:g} %. A smaller one may be "
      "there and unseen.",
      rule.power * 100);
}

Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json decision_json(const Decision& row) {
  return {{"metric", row.name},
          {"unit", row.unit},
          {"better", record::name_of(row.better)},
          {"verdict", name_of(row.call)},
          {"reason", row.reason},
          {"blocks", row.blocks},
          {"a", number(row.a)},
          {"b", number(row.b)},
          {"change", number(row.change)},
          {"interval", row.interval ? Json::array({row.interval->low, row.interval->high}) : Json(nullptr)},
          {"p", row.p ? Json(row.p->p) : Json(nullptr)},
          {"p_method", row.p ? Json(stats::name_of(row.p->method)) : Json(nullptr)},
          {"p_holm", number(row.p_holm)},
          {"threshold", row.threshold},
          {"noise_floor", row.floor},
          {"stddev", number(row.stddev)},
          {"order_effect", number(row.order_effect)},
          {"detectable", number(row.detectable)},
          {"blocks_to_settle", row.settles ? Json(*row.settles) : Json(nullptr)}};
}

Json decisions_json(const std::vector<Decision>& rows) {
  Json all = Json::array();
  for (const Decision& row : rows) all.push_back(decision_json(row));
  return all;
}

Json run_json(const Run& run) {
  Json values = Json::object();
  for (const auto& [name, reading] : run.readings.metrics) values[name] = number(reading.value);
  return {{"block", run.visit.block}, {"arm", name_of(run.visit.arm)}, {"pid", run.pid},
          {"started", run.started},   {"wall_s", run.wall_s},          {"exit_code", run.exit_code},
          {"load", run.load},         {"values", std::move(values)}};
}

}  // namespace

std::string to_text(const PairResult& result, const JournalContent& content) {
  std::string text =
      fmt::format("{}\n\n{}", first_line(result, content), text_table(table_of(result.rows, result.rule, "b")));
  const auto reasons = reasons_of(result);
  if (!reasons.empty()) text += "\n";
  for (const auto& reason : reasons) text += fmt::format("{}\n", reason);
  if (!result.control.empty())
    text += fmt::format("\nThe control arm against a, the same code:\n\n{}",
                        text_table(table_of(result.control, result.rule, "control")));
  text += fmt::format("\n{}\n", finds_line(result.rule));
  for (const auto& note : result.notes) text += fmt::format("Note: {}\n", note);
  return text;
}

std::string to_markdown(const PairResult& result, const JournalContent& content) {
  std::string text =
      fmt::format("**{}**\n\n{}", first_line(result, content), markdown_table(table_of(result.rows, result.rule, "b")));
  const auto reasons = reasons_of(result);
  if (!reasons.empty()) text += "\n";
  for (const auto& reason : reasons) text += fmt::format("- {}\n", reason);
  if (!result.control.empty())
    text += fmt::format("\nThe control arm against a, the same code:\n\n{}",
                        markdown_table(table_of(result.control, result.rule, "control")));
  text += fmt::format("\n{}\n", finds_line(result.rule));
  if (!result.notes.empty()) text += "\n";
  for (const auto& note : result.notes) text += fmt::format("- {}\n", note);
  return text;
}

Json to_json(const PairResult& result, const JournalContent& content) {
  Json runs = Json::array();
  for (const Run& run : content.runs) runs.push_back(run_json(run));
  return {{"schema", "gonogo/pair"},
          {"schema_version", 1},
          {"verdict", result.verdict},
          {"exit_code", static_cast<int>(result.exit_code)},
          {"plan", to_json(content.plan)},
          {"rule",
           {{"alpha", result.rule.alpha},
            {"correction", "Holm"},
            {"practical", result.rule.practical},
            {"floor_times", result.rule.floor_times},
            {"timer_floor_ns", result.rule.timer_floor_ns},
            {"power", result.rule.power}}},
          {"facts", content.runs.empty() ? Json::object() : Json(content.runs.front().readings.facts)},
          {"metrics", decisions_json(result.rows)},
          {"control", decisions_json(result.control)},
          {"notes", result.notes},
          {"orders", orders_of(content.plan)},
          {"runs", std::move(runs)},
          {"failures", content.failures}};
}

}  // namespace gonogo::reports
