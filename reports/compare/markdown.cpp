// A comparison as the comment of a pull request: bounded in size, worst rows first, nothing cut in silence.
#include <fmt/format.h>

#include <map>

#include "reports/compare/tell.hpp"
#include "reports/render/numbers.hpp"
#include "reports/render/table.hpp"

namespace gonogo::reports {
namespace {

// Lets a bot find its own comment again and edit it in place.
constexpr const char* kMarker = "<!-- gonogo compare -->\n";
// Kept free for the lines that say what was left out and the closing tags.
constexpr std::size_t kReserve = 400;

struct Rows {
  std::string text;
  std::size_t shown = 0;
  std::map<Finding, std::size_t> left_out;
};

Table head_of(bool several, bool full, Style style) {
  Table table{.title = "", .columns = {}, .rows = {}, .notes = {}};
  if (style == Style::seeds) table.columns.push_back({"", Align::left});
  table.columns.push_back({"finding", Align::left});
  table.columns.push_back({"benchmark", Align::left});
  if (several) table.columns.push_back({"metric", Align::left});
  for (const char* title : {"base", "new", "change"}) table.columns.push_back({title});
  if (!full) return table;
  for (const char* title : {"interval", "limit", "n"}) table.columns.push_back({title});
  table.columns.push_back({"why", Align::left});
  return table;
}

std::vector<std::string> cells_of(const ComparedRow& row, bool several, bool full, Style style) {
  const auto shown = [&](double value) { return quantity(value, row.unit); };
  std::vector<std::string> cells;
  if (style == Style::seeds) cells.emplace_back(seeds_icon(row));
  cells.emplace_back(name_of(row.finding));
  cells.push_back(row.name);
  if (several) cells.push_back(row.metric);
  cells.insert(cells.end(), {or_dash(row.base, shown), or_dash(row.cand, shown), change_cell(row)});
  if (full) cells.insert(cells.end(), {interval_cell(row), or_dash(row.limit, percent), count_cell(row), row.reason});
  return cells;
}

// The rows of one kind as a table of at most `budget` bytes.
Rows rows_of(const Comparison& comparison, bool neutral, Style style, std::size_t budget) {
  Rows result;
  const bool several = has_several_metrics(comparison), full = !neutral;
  const std::string head = markdown_table(head_of(several, full, style));
  for (const ComparedRow& row : comparison.rows) {
    if (is_neutral(row.finding) != neutral) continue;
    Table one = head_of(several, full, style);
    one.rows.push_back(cells_of(row, several, full, style));
    const std::string line = markdown_table(one).substr(head.size());
    const std::size_t size = (result.text.empty() ? head.size() : result.text.size()) + line.size();
    if (size > budget || !result.left_out.empty()) {
      ++result.left_out[row.finding];
      continue;
    }
    if (result.text.empty()) result.text = head;
    result.text += line;
    ++result.shown;
  }
  return result;
}

std::string left_out_line(const Rows& rows) {
  std::string line;
  for (const auto& [finding, count] : rows.left_out)
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ", count, name_of(finding));
  return line.empty() ? line : fmt::format("\nNot shown for want of space: {} (all are in --json and --csv).\n", line);
}

std::string list(const std::string& title, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    std::string safe;
    for (const char c : line) safe += c == '<' ? std::string("&lt;") : std::string(1, c == '\n' ? ' ' : c);
    text += fmt::format("- {}\n", safe);
  }
  return text.empty() ? text : fmt::format("\n**{}**\n\n{}", title, text);
}

std::string code(std::string command) {
  for (char& c : command)
    if (c == '\n' || c == '\r') c = ' ';
  return fmt::format("\nTo measure the first row again:\n\n    {}\n", command);
}

std::vector<std::string> first(const std::vector<std::string>& lines, std::size_t most) {
  if (lines.size() <= most) return lines;
  std::vector<std::string> some(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(most));
  some.push_back(fmt::format("... and {} more", lines.size() - most));
  return some;
}

std::string clipped(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  text.resize(most);
  return text;
}

}  // namespace

std::string to_markdown(const Comparison& comparison, Style style, std::size_t budget) {
  constexpr std::size_t kMostLines = 40;
  std::string head = fmt::format("{}**{}**\n\n", kMarker, summary_line(comparison));
  if (const auto plan = plan_line(comparison); !plan.empty()) head += fmt::format("{}\n\n", plan);
  std::vector<std::string> differences;
  for (const Difference& difference : comparison.differences) differences.push_back(difference_line(difference));
  std::string tail = list("Differences of the runs", first(differences, kMostLines));
  tail += list("Notes", first(comparison.notes, kMostLines));
  tail += list("This cannot catch", comparison.blind_spots);
  if (comparison.comparable) tail += fmt::format("\nRule: {}\n", policy_line(comparison));
  if (!comparison.rows.empty() && !is_neutral(comparison.rows.front().finding))
    tail += code(reproduce_command(comparison, comparison.rows.front()));
  tail = clipped(std::move(tail), budget / 2);

  const std::size_t taken = head.size() + tail.size() + kReserve;
  const std::size_t room = budget > taken ? budget - taken : 0;
  const Rows loud = rows_of(comparison, false, style, room);
  const Rows quiet = rows_of(comparison, true, style, room > loud.text.size() ? room - loud.text.size() : 0);
  std::string text = head + loud.text + left_out_line(loud);
  if (const auto folded = folded_line(comparison); !folded.empty())
    text += fmt::format("\n<details><summary>Folded: {}</summary>\n\n{}{}\n</details>\n", folded, quiet.text,
                        left_out_line(quiet));
  return text + tail;
}

}  // namespace gonogo::reports
