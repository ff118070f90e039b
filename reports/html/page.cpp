#include "reports/html/page.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/record/embedded.hpp"
#include "harness/record/strict_json.hpp"
#include "reports/chart/chart.hpp"
#include "reports/html/sections.hpp"

namespace gonogo::reports {

std::span<const record::EmbeddedFile> embedded_page();  // generated

namespace {

std::string_view asset(std::string_view name) {
  for (const auto& file : embedded_page())
    if (file.name == name) return file.text;
  GONOGO_EXPECT(false, "the page's asset " + std::string(name) + " is not embedded");
  return "";
}

// JSON inside a <script>: no "<" may stand in it.
std::string data_text(const Verdict& verdict, const Arc& arc) {
  const std::string text = record::dump_strict(Json{{"verdict", to_json(verdict)}, {"arc", to_json(arc)}});
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  }
  return result;
}

std::vector<html::ChartStep> steps_of(const PageInput& input, const Arc& arc) {
  std::vector<html::ChartStep> steps;
  for (const PageRun& run : input.runs)
    for (const auto& [stack, unused] : run.record->at("stacks").items())
      if (input.request.stack.empty() || stack == input.request.stack) steps.push_back({stack, run.record, stack});
  // One name twice, as of one stack at two commits, is told apart by the commit.
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (std::size_t k = 0; k < steps.size(); ++k)
      if (i != k && steps[i].stack == steps[k].stack) {
        steps[i].name = fmt::format("{} @{}", steps[i].stack, arc.rows.at(i).commit);
        break;
      }
  return steps;
}

}  // namespace

Page make_page(const PageInput& input) {
  GONOGO_EXPECT(!input.runs.empty(), "a page needs a run");
  std::vector<ArcInput> runs;
  for (const PageRun& run : input.runs) runs.push_back({run.file, run.record});
  const Arc arc = build_arc(runs, input.request, input.gates);
  JudgeInputs judged{.record = *input.runs.back().record, .stack = input.request.stack, .baselines = input.baselines};
  Page page{.html = "", .verdict = judge(judged, input.gates)};
  const html::Content content{input, page.verdict, arc, steps_of(input, arc)};
  page.html = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<meta name=\"color-scheme\" content=\"light dark\">"
      // Nothing may be fetched, whatever a record holds.
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'\">"
      "<title>{0}: {1}</title>\n<style>{2}{3}</style></head><body><header><h1>{1}</h1></header><main>\n",
      name_of(page.verdict.overall), escaped(input.title), chart_style(), asset("page.css"));
  for (const auto section : {html::verdict_section, html::figures_section, html::gates_section, html::curves_section,
                             html::arc_section, html::metrics_section, html::runs_section})
    page.html += section(content);
  page.html += fmt::format(
      "</main><div id=\"tip\" role=\"status\" hidden></div>\n<script type=\"application/json\" "
      "id=\"data\">{}</script>\n"
      "<script>{}</script></body></html>\n",
      data_text(page.verdict, arc), asset("page.js"));
  return page;
}

}  // namespace gonogo::reports
