// The figures at the top of a report, and every metric at its end.
#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include "reports/chart/chart.hpp"
#include "reports/html/html_table.hpp"
#include "reports/html/sections.hpp"
#include "reports/render/numbers.hpp"

namespace gonogo::reports::html {
namespace {

std::string tile(const std::string& name, const Figure& one, std::string (*format)(double), const std::string& beside) {
  return fmt::format("<div class=\"tile\"><dt>{}</dt><dd>{}</dd><dd class=\"beside\">{}</dd></div>", escaped(name),
                     one.value ? escaped(format(*one.value)) : "–", escaped(one.value ? beside : "not measured"));
}

std::string time(double value) { return duration(value); }
std::string ratio(double value) { return fmt::format("{:.2f}", value); }
std::string rate(double value) { return significant(value, 4) + " tok/s"; }

const ArcRow& judged_row(const Content& content) {
  // Rows of the last run are the last rows; the judged stack is one of them.
  const auto& rows = content.arc.rows;
  for (auto row = rows.rbegin(); row != rows.rend(); ++row)
    if (row->step == content.verdict.stack) return *row;
  return rows.back();
}

}  // namespace

std::string figures_section(const Content& content) {
  const ArcRow& row = judged_row(content);
  const Json& metrics = content.input.runs.back().record->at("stacks").at(content.verdict.stack).at("metrics");
  const auto share = [&](const std::string& name) {
    const auto one = figure(metrics, name);
    return one.value ? fmt::format("{} of the roofline", percent(*one.value)) : std::string("roofline share unknown");
  };
  const auto past = "past=" + content.arc.past;
  std::string text = "<dl class=\"tiles\">";
  text += tile("Decode step, M=1", row.decode_ms, time, share("roofline.share/" + past));
  text += tile(fmt::format("Verify, M={}", content.arc.m), row.verify_ms, time,
               share(fmt::format("roofline.share/m={}/{}", content.arc.m, past)));
  text += tile(fmt::format("B* at M={}", content.arc.m), row.bstar, ratio, "verify over decode step");
  text += tile("Prefill", row.prefill, rate, fmt::format("prompt of {} tokens", content.arc.prompt));
  text += tile("End to end", figure(metrics, "e2e.tok_per_s"), rate, "greedy decode, steady window");
  text += tile("DRAM share, M=1", row.dram, percent, content.arc.op);
  return text + "</dl>\n";
}

std::string metrics_section(const Content& content) {
  HtmlTable table{.id = "metrics",
                  .caption = "Every metric of every step",
                  .heads = {{"step", Align::left},
                            {"metric", Align::left},
                            {"value"},
                            {"better", Align::left},
                            {"status", Align::left},
                            {"reason", Align::left}},
                  .rows = {},
                  .notes = {},
                  .filter = true};
  for (const ChartStep& step : content.steps)
    for (const auto& [name, metric] : step.record->at("stacks").at(step.stack).at("metrics").items()) {
      const Figure one = figure(step.record->at("stacks").at(step.stack).at("metrics"), name);
      const auto unit = metric.at("unit").get<std::string>();
      table.rows.push_back(
          {{step.name},
           {name, {}, "path"},
           {one.value ? quantity(*one.value, unit) : "–", one.value},
           {metric.at("better").get<std::string>()},
           {metric.at("status").get<std::string>()},
           {metric.at("reason").is_string() ? metric.at("reason").get<std::string>() : "", {}, "wrap"}});
    }
  return fmt::format("<section id=\"all\"><details><summary><h2>All {} metrics</h2></summary>{}</details></section>\n",
                     table.rows.size(), to_html(table));
}

}  // namespace gonogo::reports::html
