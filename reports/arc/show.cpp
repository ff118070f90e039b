// An arc as table, bars, charts and data.
#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/arc/arc.hpp"
#include "reports/chart/chart.hpp"
#include "reports/render/bars.hpp"
#include "reports/render/numbers.hpp"

namespace gonogo::reports {
namespace {

std::string shown(const Figure& one, std::string (*format)(double)) { return one.value ? format(*one.value) : "-"; }
std::string time_text(double ms) { return duration(ms); }
std::string count(double value) { return fmt::format("{:.6g}", value); }
std::string ratio(double value) { return fmt::format("{:.2f}", value); }
std::string rate(double value) { return significant(value, 4); }

// "÷ 4.0", "× 1.9" or "to 0" from the first step to the last; "-" where an end has no figure.
std::string change(const Arc& arc, Figure ArcRow::*member) {
  const Figure& from = arc.rows.front().*member;
  const Figure& to = arc.rows.back().*member;
  if (!from.value || !to.value) return "-";
  if (*from.value == *to.value) return "=";
  if (*from.value <= 0 || *to.value <= 0) return fmt::format("to {}", significant(*to.value));
  const double times = *to.value / *from.value;
  return times > 1 ? fmt::format("× {}", significant(times)) : fmt::format("÷ {}", significant(1 / times));
}

std::vector<std::string> cells_of(const ArcRow& row, const Arc& arc) {
  std::vector<std::string> cells{row.step,
                                 row.commit,
                                 shown(row.segments, count),
                                 shown(row.seams, count),
                                 shown(row.decode_ms, time_text),
                                 shown(row.verify_ms, time_text),
                                 shown(row.bstar, ratio),
                                 shown(row.prefill, rate),
                                 shown(row.dram, percent)};
  if (!arc.gate_id.empty()) cells.push_back(row.outcome);
  return cells;
}

struct Panel {
  std::string title;
  Figure ArcRow::*member;
  std::string (*format)(double);
};

std::vector<Panel> panels(const Arc& arc) {
  const auto time = arc.time_name == "wall" ? "wall" : "device time";
  return {{fmt::format("B* at M={}", arc.m), &ArcRow::bstar, ratio},
          {fmt::format("M={}, {}", arc.m, time), &ArcRow::verify_ms, time_text},
          {fmt::format("M=1, {}", time), &ArcRow::decode_ms, time_text},
          {fmt::format("Eager steps inside the captured step, M={}", arc.m), &ArcRow::seams, count},
          {fmt::format("Prefill of {} tokens, tok/s", arc.prompt), &ArcRow::prefill, rate}};
}

bool any(const Arc& arc, Figure ArcRow::*member) {
  return std::any_of(arc.rows.begin(), arc.rows.end(),
                     [&](const ArcRow& row) { return (row.*member).value.has_value(); });
}

std::size_t colour_of(const std::string& outcome) {
  return outcome == "PASS" ? 2 : outcome == "FAIL" ? 4 : outcome == "BETWEEN" ? 1 : 0;
}

}  // namespace

Table to_table(const Arc& arc) {
  const ArcRow& first = arc.rows.front();
  const auto same = [&](std::string ArcRow::*member) {
    return std::all_of(arc.rows.begin(), arc.rows.end(),
                       [&](const ArcRow& row) { return row.*member == first.*member; });
  };
  Table table{.title = fmt::format("BEFORE -> now: {} on {}", same(&ArcRow::model) ? first.model : "several models",
                                   same(&ArcRow::device) ? first.device : "several devices"),
              .columns = {{"step", Align::left},
                          {"commit", Align::left},
                          {"segments"},
                          {"seams"},
                          {"M=1"},
                          {fmt::format("M={}", arc.m)},
                          {"B*"},
                          {fmt::format("prefill({})", arc.prompt)},
                          {"DRAM " + arc.op}},
              .rows = {},
              .notes = {}};
  if (arc.prompt.empty()) table.columns[7].title = "prefill";
  if (!arc.gate_id.empty()) table.columns.push_back({arc.gate_id, Align::left});
  for (const ArcRow& row : arc.rows) table.rows.push_back(cells_of(row, arc));
  if (arc.rows.size() > 1)
    table.rows.push_back({"BEFORE -> now", "", change(arc, &ArcRow::segments), change(arc, &ArcRow::seams),
                          change(arc, &ArcRow::decode_ms), change(arc, &ArcRow::verify_ms), change(arc, &ArcRow::bstar),
                          change(arc, &ArcRow::prefill), change(arc, &ArcRow::dram)});
  table.notes.push_back(fmt::format(
      "M=1, M={}: captured, {}, past {}. B* = M={} over M=1 with what a verify brings to the host. Prefill in tok/s.",
      arc.m, arc.time_name == "wall" ? "wall" : "device time", arc.past.empty() ? "unknown" : arc.past, arc.m));
  for (const auto& note : arc.notes) table.notes.push_back(note);
  return table;
}

std::string to_bars(const Arc& arc) {
  std::string text;
  for (const Panel& panel : panels(arc)) {
    if (!any(arc, panel.member)) continue;
    double largest = 0;
    std::size_t widest = 0;
    for (const ArcRow& row : arc.rows) {
      largest = std::max(largest, (row.*panel.member).value.value_or(0));
      widest = std::max(widest, display_width(shown(row.*panel.member, panel.format)));
    }
    std::size_t names = 0;
    for (const ArcRow& row : arc.rows) names = std::max(names, display_width(row.step));
    text += fmt::format("\n{}\n", panel.title);
    for (const ArcRow& row : arc.rows) {
      const Figure& one = row.*panel.member;
      const auto drawn = bar(one.value.value_or(0), largest, 40);
      text += fmt::format("  {}  {}{}{}\n", padded(row.step, names, Align::left),
                          padded(shown(one, panel.format), widest, Align::right), drawn.empty() ? "" : "  ", drawn);
    }
  }
  return text;
}

std::vector<std::string> to_charts(const Arc& arc) {
  std::vector<std::string> charts;
  for (const Panel& panel : panels(arc)) {
    if (!any(arc, panel.member)) continue;
    BarChart chart{.title = panel.title, .bars = {}, .rules = {}};
    const bool judged = panel.member == &ArcRow::bstar;
    for (const ArcRow& row : arc.rows) {
      const Figure& one = row.*panel.member;
      const auto outcome = judged && !row.outcome.empty() ? ", " + row.outcome : "";
      chart.bars.push_back({.label = row.commit == "-" ? row.step : fmt::format("{} @{}", row.step, row.commit),
                            .value = one.value,
                            .text = one.value ? panel.format(*one.value) + outcome : "not measured",
                            .colour = judged ? colour_of(row.outcome) : 0});
    }
    if (judged)
      for (const auto& [name, value] : arc.bounds)
        chart.rules.push_back({value, fmt::format("{} {:.6g}", name, value)});
    charts.push_back(svg(chart));
  }
  return charts;
}

Json to_json(const Arc& arc) {
  const auto number = [](const Figure& one) {
    return Json{{"value", one.value ? Json(*one.value) : Json(nullptr)},
                {"reason", one.value ? Json(nullptr) : Json(one.reason)}};
  };
  Json rows = Json::array();
  for (const ArcRow& row : arc.rows)
    rows.push_back({{"step", row.step},
                    {"commit", row.commit},
                    {"device", row.device},
                    {"model", row.model},
                    {"segments", number(row.segments)},
                    {"seams", number(row.seams)},
                    {"decode_ms", number(row.decode_ms)},
                    {"verify_ms", number(row.verify_ms)},
                    {"bstar", number(row.bstar)},
                    {"prefill_tok_per_s", number(row.prefill)},
                    {"dram_share", number(row.dram)},
                    {"outcome", row.outcome.empty() ? Json(nullptr) : Json(row.outcome)}});
  return {{"schema", "gonogo/arc"},  {"schema_version", 1},  {"m", arc.m},   {"past", arc.past},
          {"time", arc.time_name},   {"prompt", arc.prompt}, {"op", arc.op}, {"gate", arc.gate_id},
          {"rows", std::move(rows)}, {"notes", arc.notes}};
}

}  // namespace gonogo::reports
