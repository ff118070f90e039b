// A comparison for a terminal.
#include <fmt/format.h>

#include "reports/compare/tell.hpp"
#include "reports/render/numbers.hpp"
#include "reports/render/table.hpp"

namespace gonogo::reports {
namespace {

Table table_of(const Comparison& comparison, Style style, bool all_rows) {
  Table table{.title = "", .columns = {{"finding", Align::left}, {"benchmark", Align::left}}, .rows = {}, .notes = {}};
  const bool several = has_several_metrics(comparison);
  if (several) table.columns.push_back({"metric", Align::left});
  for (const char* title : {"base", "new", "change", "interval", "limit", "n"}) table.columns.push_back({title});
  table.columns.push_back({"why", Align::left});
  for (const ComparedRow& row : comparison.rows) {
    if (is_neutral(row.finding) && !all_rows) continue;
    const auto shown = [&](double value) { return quantity(value, row.unit); };
    std::vector<std::string> cells{std::string(name_of(row.finding)), row.name};
    if (style == Style::seeds) cells[0] = fmt::format("{} {}", seeds_icon(row), name_of(row.finding));
    if (several) cells.push_back(row.metric);
    cells.insert(cells.end(), {or_dash(row.base, shown), or_dash(row.cand, shown), change_cell(row), interval_cell(row),
                               or_dash(row.limit, percent), count_cell(row), row.reason});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string list(const char* title, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += fmt::format("  {}\n", line);
  return text.empty() ? text : fmt::format("\n{}:\n{}", title, text);
}

}  // namespace

std::string to_text(const Comparison& comparison, Style style, bool all_rows) {
  std::string text =
      fmt::format("{}\n{} -> {}\n", summary_line(comparison), side_line(comparison.base), side_line(comparison.cand));
  if (const auto plan = plan_line(comparison); !plan.empty()) text += fmt::format("{}\n", plan);
  const Table table = table_of(comparison, style, all_rows);
  if (!table.rows.empty()) text += fmt::format("\n{}", text_table(table));
  if (const auto folded = folded_line(comparison); !folded.empty() && !all_rows)
    text += fmt::format("\nFolded: {} (--all shows them)\n", folded);
  std::vector<std::string> lines;
  for (const Difference& difference : comparison.differences) lines.push_back(difference_line(difference));
  text += list("Differences of the runs", lines);
  text += list("Notes", comparison.notes);
  text += list("This cannot catch", comparison.blind_spots);
  if (comparison.comparable) text += fmt::format("\nRule: {}\n", policy_line(comparison));
  if (!comparison.rows.empty() && !is_neutral(comparison.rows.front().finding))
    text += fmt::format("To measure the first row again: {}\n", reproduce_command(comparison, comparison.rows.front()));
  return text;
}

}  // namespace gonogo::reports
