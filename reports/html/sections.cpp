#include "reports/html/sections.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>

#include "reports/chart/chart.hpp"
#include "reports/html/html_table.hpp"
#include "reports/render/numbers.hpp"

namespace gonogo::reports::html {
namespace {

std::string text_of(const Json& object, const char* key, const char* otherwise = "unknown") {
  return object.is_object() && object.contains(key) && object[key].is_string() ? object[key].get<std::string>()
                                                                               : otherwise;
}

const char* tone(Overall overall) {
  switch (overall) {
    case Overall::go:
      return "good";
    case Overall::no_go:
      return "bad";
    default:
      return "open";
  }
}

std::string card(const std::string& chart) { return fmt::format("<figure class=\"card\">{}</figure>\n", chart); }

bool all_count_nodes(const Content& content) {
  return std::all_of(content.steps.begin(), content.steps.end(), [&](const ChartStep& step) {
    const Json& metrics = step.record->at("stacks").at(step.stack).at("metrics");
    return figure(metrics, fmt::format("capture.graph_nodes/m={}", content.arc.m)).value.has_value();
  });
}

std::string commit_of(const Json& record) {
  const Json& build = record.at("build");
  return text_of(build, "git_sha").substr(0, 8) + (build.at("git_dirty") == true ? " (dirty)" : "");
}

}  // namespace

std::string verdict_section(const Content& content) {
  const Verdict& verdict = content.verdict;
  const Json& record = *content.input.runs.back().record;
  const Json& model = record.at("model");
  std::string text = fmt::format(
      "<section id=\"verdict\" class=\"verdict v-{}\" data-verdict=\"{}\"><p class=\"word\">{}</p><div><p "
      "class=\"why\">{}"
      "</p>",
      tone(verdict.overall), name_of(verdict.overall), name_of(verdict.overall), escaped(verdict.reason));
  if (!verdict.experiment.empty())
    text += fmt::format("<p class=\"note\">To settle it: <code>{}</code></p>", escaped(verdict.experiment));
  text +=
      fmt::format("<p class=\"note\">Stack {} of {} on {}, commit {}, {}</p></div></section>\n", escaped(verdict.stack),
                  escaped(text_of(model, "name")), escaped(text_of(record.at("devices").at(0), "name")),
                  escaped(commit_of(record)), escaped(text_of(record.at("context"), "date").substr(0, 10)));
  return text;
}

std::string gates_section(const Content& content) {
  HtmlTable table{
      .id = "gates",
      .caption = "Gates and their outcome",
      .heads = {{"gate", Align::left}, {"outcome", Align::left}, {"why", Align::left}, {"frozen", Align::left}},
      .rows = {},
      .notes = content.verdict.notes};
  for (const GateResult& gate : content.verdict.gates)
    table.rows.push_back({{gate.gate.id},
                          outcome_cell(std::string(name_of(gate.outcome))),
                          {gate.reason, {}, "wrap"},
                          {fmt::format("{}, v{}", gate.gate.frozen, gate.gate.version)}});
  return fmt::format("<section><h2>Gates</h2>{}</section>\n", to_html(table));
}

std::string curves_section(const Content& content) {
  const auto steps = drawn(content.steps);
  std::string text = "<section><h2>Curves</h2><div class=\"cards\">\n";
  text += card(m_scaling_chart(steps, content.arc));
  text += card(bstar_chart(steps, content.arc));
  text += card(prefill_chart(steps));
  text += "</div>\n";
  if (steps.size() < content.steps.size())
    text += fmt::format("<p class=\"note\">Drawn are the first and the last {} of {} steps.</p>\n", steps.size() - 1,
                        content.steps.size());
  text += "</section>\n";
  const auto strips = seam_strips(content.steps, content.arc.m);
  text += fmt::format("<section><h2>Seams at M={}</h2>\n", content.arc.m);
  if (strips.empty()) text += "<p class=\"note\">No run recorded its seams at this width.</p>\n";
  text += "<div class=\"cards\">\n";
  for (const auto& strip : strips) text += card(strip);
  text += "</div>\n";
  if (!strips.empty() && !all_count_nodes(content))
    text +=
        "<p class=\"note\">Where a run does not tell how many steps it captured, only its eager ones are drawn.</p>\n";
  return text + "</section>\n";
}

std::string arc_section(const Content& content) {
  const Arc& arc = content.arc;
  const Table shown = to_table(arc);
  HtmlTable table{.id = "arc", .caption = "One row a step", .heads = {}, .rows = {}, .notes = shown.notes};
  for (const Column& column : shown.columns) table.heads.push_back({column.title, column.align});
  for (std::size_t i = 0; i < shown.rows.size(); ++i) {
    std::vector<Cell> row;
    for (const auto& text : shown.rows[i]) row.push_back({text});
    if (i < arc.rows.size()) {
      const ArcRow& from = arc.rows[i];
      const Figure* figures[] = {&from.segments, &from.seams,   &from.decode_ms, &from.verify_ms,
                                 &from.bstar,    &from.prefill, &from.dram};
      for (std::size_t k = 0; k < std::size(figures); ++k) row[k + 2].number = figures[k]->value;
      if (row.size() > 9) row[9] = outcome_cell(from.outcome);
    } else {
      for (Cell& cell : row) cell.css = "sum";
    }
    table.rows.push_back(std::move(row));
  }
  std::string text = fmt::format("<section><h2>{}</h2>{}<div class=\"cards\">\n", escaped(shown.title), to_html(table));
  for (const auto& chart : to_charts(arc)) text += card(chart);
  return text + "</div></section>\n";
}

std::string runs_section(const Content& content) {
  HtmlTable table{.id = "runs",
                  .caption = "The records this page was made from",
                  .heads = {{"record", Align::left},
                            {"measured", Align::left},
                            {"device", Align::left},
                            {"model", Align::left},
                            {"commit", Align::left},
                            {"status", Align::left},
                            {"sha256", Align::left}},
                  .rows = {},
                  .notes = {}};
  std::string warnings;
  for (const PageRun& run : content.input.runs) {
    const Json& record = *run.record;
    table.rows.push_back({{run.file},
                          {text_of(record.at("context"), "date")},
                          {text_of(record.at("devices").at(0), "name")},
                          {text_of(record.at("model"), "name")},
                          {commit_of(record)},
                          {text_of(record, "status")},
                          {run.sha256.substr(run.sha256.find(':') + 1, 16), {}, "path"}});
    for (const Json& warning : record.at("warnings"))
      warnings += fmt::format("<li><span class=\"path\">{}</span> {}</li>\n", escaped(run.file),
                              escaped(warning.get<std::string>()));
  }
  std::string text = fmt::format("<section><h2>Records</h2>{}", to_html(table));
  if (!warnings.empty())
    text += fmt::format("<details><summary>Warnings of the runs</summary><ul>{}</ul></details>", warnings);
  std::string words;
  for (const Json& word : content.input.runs.back().record->at("argv")) {
    if (!words.empty()) words += ' ';
    words += word.get<std::string>();
  }
  return text + fmt::format("<p class=\"note\">Measured by <code>{}</code></p></section>\n", escaped(words));
}

}  // namespace gonogo::reports::html
