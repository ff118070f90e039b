#include "reports/html/html_table.hpp"

#include <fmt/format.h>

#include <cmath>

#include "reports/chart/chart.hpp"

namespace gonogo::reports::html {
namespace {

std::string cell_html(const Cell& cell, const Head& head) {
  std::string classes = head.align == Align::right ? "num" : "";
  if (!cell.css.empty()) classes += (classes.empty() ? "" : " ") + cell.css;
  std::string text = "<td";
  if (!classes.empty()) text += fmt::format(" class=\"{}\"", escaped(classes));
  if (cell.number && std::isfinite(*cell.number)) text += fmt::format(" data-v=\"{}\"", *cell.number);
  const bool label = cell.css.starts_with("o-");
  return text +
         fmt::format(">{}{}{}</td>", label ? "<span class=\"label\">" : "", escaped(cell.text), label ? "</span>" : "");
}

}  // namespace

std::string to_html(const HtmlTable& table) {
  std::string text;
  if (table.filter)
    text += fmt::format(
        "<label class=\"filter\">Filter <input type=\"search\" data-for=\"{0}\" placeholder=\"bstar, prefill, "
        "failed…\">"
        "</label>",
        escaped(table.id));
  text += fmt::format("<div class=\"scroll\" tabindex=\"0\"><table id=\"{}\"><caption>{}</caption><thead><tr>",
                      escaped(table.id), escaped(table.caption));
  for (const Head& head : table.heads)
    text += fmt::format("<th scope=\"col\"{}><button type=\"button\">{}</button></th>",
                        head.align == Align::right ? " class=\"num\"" : "", escaped(head.title));
  text += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < table.heads.size(); ++i)
      text += cell_html(i < row.size() ? row[i] : Cell{}, table.heads[i]);
    text += "</tr>\n";
  }
  text += "</tbody></table></div>\n";
  for (const auto& note : table.notes) text += fmt::format("<p class=\"note\">{}</p>\n", escaped(note));
  return text;
}

Cell outcome_cell(const std::string& outcome) {
  const auto css = outcome == "PASS"      ? "o-good"
                   : outcome == "FAIL"    ? "o-bad"
                   : outcome == "INVALID" ? "o-bad"
                   : outcome.empty()      ? ""
                                          : "o-open";
  return {outcome, std::nullopt, css};
}

}  // namespace gonogo::reports::html
