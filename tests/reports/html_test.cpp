// The page as text, and as a browser shows it.
#include <nlohmann/json.hpp>
#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>
#include <deque>
#include <filesystem>

#include "harness/record/strict_json.hpp"
#include "reports/html/page.hpp"
#include "reports/seeds/seeds.hpp"
#include "tests/catch.hpp"
#include "tests/folders.hpp"
#include "tests/record/sample_record.hpp"

using namespace gonogo;
using reports::Json;
namespace fs = std::filesystem;

namespace {

const fs::path kFolder = tests::build_folder() / "html_test";

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

std::deque<Json> seed_arc() {
  const auto seeds = reports::seeds();
  std::deque<Json> records;
  for (const auto& one : seeds.configurations)
    if (one.id.starts_with("arc-")) records.push_back(reports::seed_record(seeds, one));
  return records;
}

reports::Page page_of(const std::deque<Json>& records, const std::vector<reports::Gate>& gates) {
  reports::PageInput input{
      .title = "The seeds", .runs = {}, .request = {.gate_id = "seed-fund"}, .gates = gates, .baselines = {}};
  for (const Json& record : records) input.runs.push_back({"run.json", "sha256:0011223344556677", &record});
  return reports::make_page(input);
}
reports::Page seed_page() { return page_of(seed_arc(), reports::seed_gates()); }

std::string browser() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
    if (std::system(fmt::format("command -v {} >/dev/null 2>&1", name).c_str()) == 0) return name;
  return "";
}

// Runs the browser without a screen; what it prints goes to out.txt.
std::string browse(const std::string& options, const fs::path& file) {
  const auto command = fmt::format(
      "timeout 240 {} --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars "
      "--user-data-dir='{}/profile' --virtual-time-budget=8000 {} 'file://{}' > '{}/out.txt' 2> '{}/err.txt'",
      browser(), kFolder.string(), options, file.string(), kFolder.string(), kFolder.string());
  const int status = std::system(command.c_str());
  CAPTURE(command);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  return record::read_text(kFolder / "out.txt");
}

// A page that holds the report in a frame of this width, looks at it as a reader would, and prints what it saw.
std::string observer(const std::string& report, int width) {
  std::string text = Json(report).dump();
  for (auto at = text.find('<'); at != std::string::npos; at = text.find('<', at)) text.replace(at, 1, "\\u003c");
  return fmt::format(R"js(<!doctype html><meta charset="utf-8"><iframe id="f" width="{}" height="900"></iframe>
<pre id="seen"></pre><script>
const frame = document.getElementById("f");
frame.onload = () => {{
  const page = frame.contentDocument, root = page.documentElement;
  const words = (id, column) => [...page.getElementById(id).tBodies[0].rows].map((row) => row.cells[column].textContent);
  const click = (id, column) => page.getElementById(id).tHead.rows[0].cells[column].firstChild.click();
  const seen = {{}};
  seen.verdict = page.querySelector("#verdict .word").textContent;
  seen.wide = root.scrollWidth - root.clientWidth;
  seen.cut = [...page.querySelectorAll(".word,.tile dd,h1,h2,.note")].filter((e) => e.scrollWidth > e.clientWidth + 1)
    .map((e) => e.textContent);
  seen.charts = page.querySelectorAll("svg.chart").length;
  seen.bar = page.querySelector("#arc").closest("section").querySelector(".mark title").textContent;
  seen.barWidth = page.querySelector("#arc").closest("section").querySelector(".mark rect.f4").getBoundingClientRect().width;
  seen.letters = Math.min(...[...page.querySelectorAll("svg text")].map((e) =>
    12 * e.ownerSVGElement.getBoundingClientRect().width / e.ownerSVGElement.viewBox.baseVal.width));
  seen.spilt = [...page.querySelectorAll("svg text")].filter((e) => {{
    const a = e.getBoundingClientRect(), b = e.ownerSVGElement.getBoundingClientRect();
    return a.left < b.left - 1 || a.right > b.right + 1 || a.bottom > b.bottom + 1; }}).map((e) => e.textContent);
  click("arc", 6); seen.up = words("arc", 6);
  click("arc", 6); seen.down = words("arc", 6);
  const field = page.querySelector("input[data-for=metrics]");
  field.value = "bstar marlin"; field.dispatchEvent(new Event("input"));
  seen.kept = [...page.getElementById("metrics").tBodies[0].rows].filter((row) => !row.hidden).length;
  const mark = page.querySelector(".mark");
  mark.dispatchEvent(new frame.contentWindow.PointerEvent("pointermove", {{clientX: 5, clientY: 5}}));
  seen.tip = page.getElementById("tip").textContent;
  seen.loaded = frame.contentWindow.performance.getEntriesByType("resource").length;
  document.getElementById("seen").textContent = "SEEN" + JSON.stringify(seen) + "END";
}};
frame.srcdoc = {};
</script>)js",
                     width, text);
}

}  // namespace

TEST_CASE("the page says the verdict first and in its title, and holds every section", "[html]") {
  const auto page = seed_page();
  CHECK(page.verdict.overall == reports::Overall::conditional_go);
  CHECK(holds(page.html, "<title>CONDITIONAL-GO: The seeds</title>"));
  CHECK(holds(page.html, "data-verdict=\"CONDITIONAL-GO\""));
  CHECK(page.html.find("id=\"verdict\"") < page.html.find("id=\"gates\""));
  for (const char* id : {"gates", "arc", "metrics", "runs"})
    CHECK(holds(page.html, fmt::format("<table id=\"{}\">", id)));
  CHECK(count(page.html, "<svg class=\"chart\"") == 3 + 7 + 5);  // curves, a strip a step, the arc
  CHECK(holds(page.html, "MatMulNBits</text>"));                 // the seams of the first step
}

TEST_CASE("prefill stands against the ceiling of its slope where the run has one", "[html]") {
  auto records = seed_arc();
  CHECK(holds(page_of(records, reports::seed_gates()).html, ">Prefill over prompt length</text>"));
  records.back()["stacks"]["gate-up"]["metrics"]["prefill.marginal_tok_per_s"] = {
      {"value", 700.0}, {"unit", "tok/s"}, {"better", "higher"}, {"status", "ok"}, {"reason", nullptr}};
  const auto html = page_of(records, reports::seed_gates()).html;
  CHECK(holds(html, ">Prefill against the ceiling of its slope</text>"));
  CHECK(holds(html, ">gate-up: 700 tok/s without its fixed part</text>"));
}

TEST_CASE("the page fetches nothing", "[html]") {
  const auto html = seed_page().html;
  for (const char* way :
       {" src=", " href=", "url(", "@import", "fetch(", "XMLHttpRequest", "//cdn", "<link", "import("}) {
    CAPTURE(way);
    CHECK_FALSE(holds(html, way));
  }
  CHECK(holds(html, "default-src 'none'"));
}

TEST_CASE("markup in a record stays text in the page", "[html]") {
  const std::string evil = "</script><script>alert(1)</script><img onerror=\"x\">";
  auto run = tests::sample_record();
  run.rows.clear();
  run.model = {{"name", evil}};
  run.warnings = {evil};
  run.stacks[0].name = evil;
  run.stacks[0].metrics["bstar.verify/m=8/past=512"] =
      record::absent(record::Status::failed, evil, "1", record::Better::lower);
  run.stacks[0].metrics["decode.wall_ms/past=512"] = record::measured(1, "ms", record::Better::lower);
  const auto html = page_of({record::to_json(run)}, reports::seed_gates()).html;
  CHECK_FALSE(holds(html, "<script>alert"));
  CHECK_FALSE(holds(html, "<img"));
  CHECK(count(html, "<script") == 2);
  CHECK(count(html, "</script>") == 2);
}

TEST_CASE("a page of a run without curves says so in words", "[html]") {
  auto run = tests::sample_record();
  const auto html = page_of({record::to_json(run)}, reports::seed_gates()).html;
  CHECK(holds(html, "Nothing of this was measured."));
  CHECK(holds(html, "No run recorded its seams at this width."));
  CHECK_FALSE(holds(html, "nan"));
}

TEST_CASE("a record whose free parts hold anything at all still makes a page", "[html]") {
  const Json whole = seed_arc().front();
  std::size_t tried = 0;
  for (const char* part : {"probes", "plan", "model", "options", "verdict"}) {
    const Json flat = Json{{part, whole[part]}}.flatten();
    for (const auto& [pointer, unused] : flat.items())
      for (auto at = pointer.size(); at != std::string::npos && at > 1; at = pointer.rfind('/', at - 1))
        for (const Json& wrong : {Json(nullptr), Json(7), Json("x"), Json::array({1, nullptr}), Json::object()}) {
          if (at == std::string(part).size() + 1 && !wrong.is_null() && !wrong.is_object()) continue;  // the schema's
          Json record = whole;
          record[Json::json_pointer(pointer.substr(0, at))] = wrong;
          CAPTURE(pointer.substr(0, at), wrong.dump());
          CHECK_FALSE(page_of({record}, reports::seed_gates()).html.empty());
          ++tried;
        }
  }
  CHECK(tried > 100);
}

TEST_CASE("stacks of one name at two commits are told apart", "[html]") {
  auto records = seed_arc();
  records.resize(2);
  records[1]["stacks"]["before"] = records[1]["stacks"]["marlin"];
  records[1]["stacks"].erase("marlin");
  CHECK(holds(page_of(records, reports::seed_gates()).html, "before @c692bffe"));
}

TEST_CASE("a browser shows verdict, charts and sorting, wide and narrow, with nothing spilt", "[html]") {
  if (browser().empty()) return tests::skip_test("no Chromium is installed (apt-get install chromium)");
  fs::remove_all(kFolder);
  fs::create_directories(kFolder);
  const auto html = seed_page().html;
  for (const int width : {1280, 400}) {
    CAPTURE(width);
    record::write_file(kFolder / "observer.html", observer(html, width));
    const auto dom = browse("--window-size=1400,1000 --dump-dom", kFolder / "observer.html");
    const auto from = dom.find("SEEN{"), to = dom.find("}END");
    REQUIRE(from != std::string::npos);
    REQUIRE(to != std::string::npos);
    std::string text = dom.substr(from + 4, to + 1 - from - 4);
    for (const auto& [entity, sign] : {std::pair{"&gt;", ">"}, std::pair{"&lt;", "<"}, std::pair{"&amp;", "&"}})
      for (auto at = text.find(entity); at != std::string::npos; at = text.find(entity))
        text.replace(at, std::string(entity).size(), sign);
    const Json seen = record::parse_strict(text, "the browser");
    CAPTURE(seen.dump());
    CHECK(seen["verdict"] == "CONDITIONAL-GO");
    CHECK(seen["wide"] == 0);
    CHECK(seen["cut"].empty());
    CHECK(seen["charts"] == 15);
    CHECK(seen["bar"] == "before: 8.76, FAIL");
    CHECK(seen["barWidth"].get<double>() > 250);
    CHECK(seen["letters"].get<double>() >= 10);  // pixels of the smallest text in a chart
    CHECK(seen["spilt"].empty());
    CHECK(seen["up"] == Json{"2.16", "2.16", "2.63", "2.71", "4.99", "5.09", "8.76", "÷ 4.06"});
    CHECK(seen["down"] == Json{"8.76", "5.09", "4.99", "2.71", "2.63", "2.16", "2.16", "÷ 4.06"});
    CHECK(seen["kept"] == 1);
    CHECK_FALSE(seen["tip"].get<std::string>().empty());
    CHECK(seen["loaded"] == 0);
  }
  record::write_file(kFolder / "report.html", html);
  (void)browse(fmt::format("--window-size=1280,3000 --screenshot='{}/report.png'", kFolder.string()),
               kFolder / "report.html");
  const std::string picture = record::read_text(kFolder / "report.png");
  REQUIRE(picture.size() > 24);
  CHECK(picture.substr(1, 3) == "PNG");
  const auto side = [&](std::size_t at) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(picture[at + i]);
    return value;
  };
  CHECK(side(16) == 1280);
  CHECK(picture.size() > 50000);  // an empty page of that size has a few thousand bytes
}
