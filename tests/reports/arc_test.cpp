#include "reports/arc/arc.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <deque>

#include "harness/core/error.hpp"
#include "reports/chart/chart.hpp"
#include "reports/seeds/seeds.hpp"
#include "tests/catch.hpp"
#include "tests/record/sample_record.hpp"

using namespace gonogo;
using record::Better;
using reports::Arc;
using reports::ArcInput;
using reports::ArcRequest;
using reports::Json;

namespace {

Arc arc_of(const std::deque<Json>& records, ArcRequest request = {}) {
  std::vector<ArcInput> inputs;
  for (const Json& one : records) inputs.push_back({"run.json", &one});
  return reports::build_arc(inputs, request, reports::shipped_gates());
}

std::deque<Json> seed_arc() {
  const auto seeds = reports::seeds();
  std::deque<Json> records;
  for (const auto& one : seeds.configurations)
    if (one.id.starts_with("arc-")) records.push_back(reports::seed_record(seeds, one));
  return records;
}

// A run of stacks, each with these metrics in ms or as ratios.
Json run_of(const std::map<std::string, std::map<std::string, double>>& stacks) {
  auto run = tests::sample_record();
  run.rows.clear();
  run.stacks.clear();
  for (const auto& [name, metrics] : stacks) {
    record::StackResult stack{.name = name, .levers = {}, .metrics = {}};
    for (const auto& [metric, value] : metrics) stack.metrics[metric] = record::measured(value, "1", Better::none);
    run.stacks.push_back(std::move(stack));
  }
  return record::to_json(run);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("the arc of the seeds shows their table and the outcome of the gate at every step", "[arc]") {
  const auto records = seed_arc();
  const Arc arc = arc_of(records, {.gate_id = "fund-verify"});
  REQUIRE(arc.rows.size() == 7);
  std::vector<std::string> outcomes, steps;
  std::vector<double> bstar, verify, seams;
  for (const auto& row : arc.rows) {
    steps.push_back(row.step);
    outcomes.push_back(row.outcome);
    bstar.push_back(row.bstar.value.value());
    verify.push_back(row.verify_ms.value.value());
    seams.push_back(row.seams.value.value());
    CHECK(row.decode_ms.value == 10.2);  // beside every B*
  }
  CHECK(steps.front() == "before");
  CHECK(steps.back() == "gate-up");
  CHECK(bstar == std::vector<double>{8.76, 4.99, 5.09, 2.71, 2.63, 2.16, 2.16});
  CHECK(verify == std::vector<double>{87.3, 50.7, 51.9, 27.5, 26.8, 22.0, 21.9});
  CHECK(seams == std::vector<double>{361, 121, 1, 1, 0, 0, 0});
  CHECK(outcomes == std::vector<std::string>{"FAIL", "FAIL", "FAIL", "BETWEEN", "BETWEEN", "BETWEEN", "BETWEEN"});
  CHECK(arc.bounds == std::vector<std::pair<std::string, double>>{{"go", 2}, {"no-go", 4}});
}

TEST_CASE("the last row of an arc says what changed, and nothing where an end has no figure", "[arc]") {
  const auto records = seed_arc();
  const auto table = reports::to_table(arc_of(records));
  const auto last = table.rows.back();
  CHECK(last[0] == "BEFORE -> now");
  CHECK(last[2] == "÷ 41.0");  // segments
  CHECK(last[3] == "to 0");    // seams
  CHECK(last[4] == "=");       // M=1
  CHECK(last[5] == "÷ 3.99");  // M=8
  CHECK(last[7] == "-");       // prefill: the last step has none
  CHECK(table.title == "BEFORE -> now: glm-4-9b on NVIDIA H200");
  const auto text = reports::text_table(table);
  CHECK(text.find("split-k-retune  4abe4e57         1      0  10.2 ms  22.0 ms    2.16") != std::string::npos);
}

TEST_CASE("stacks of one record are rows of an arc, at the length and prompt that most of them have", "[arc]") {
  const std::deque<Json> records{run_of(
      {{"a", {{"bstar.verify/m=8/past=496", 3}, {"bstar.verify/m=8/past=512", 4}, {"prefill.tok_per_s/l=64", 9}}},
       {"b", {{"bstar.verify/m=8/past=496", 2}, {"bstar.verify/m=8/past=512", 1}, {"prefill.tok_per_s/l=64", 7}}},
       {"c", {{"bstar.verify/m=8/past=512", 5}, {"prefill.tok_per_s/l=512", 8}}}})};
  const Arc arc = arc_of(records);
  CHECK(arc.past == "512");
  CHECK(arc.prompt == "64");
  CHECK(arc.rows[1].bstar.value == 1.0);
  CHECK_FALSE(arc.rows[2].prefill.value.has_value());
  CHECK(arc_of(records, {.past = "496"}).rows[0].bstar.value == 3.0);
  CHECK(arc_of(records, {.stack = "b"}).rows.size() == 1);
  CHECK_THROWS_AS(arc_of(records, {.past = "7"}), core::UsageError);
  CHECK_THROWS_AS(arc_of(records, {.stack = "z"}), core::UsageError);
  CHECK_THROWS_AS(arc_of(records, {.op = "z"}), core::UsageError);
  CHECK_THROWS_AS(arc_of(records, {.gate_id = "z"}), core::UsageError);
}

TEST_CASE("a gate that asks at each length is judged at the length an arc shows", "[arc]") {
  const std::deque<Json> records{run_of({{"a",
                                          {{"bstar.verify/m=8/past=496", 9},
                                           {"bstar.verify/m=8/past=512", 1},
                                           {"parity.captured_eager", 1},
                                           {"parity.nan", 0}}}})};
  const bool release = records[0]["context"]["library_build_type"] == "release";
  CHECK(arc_of(records, {.past = "512", .gate_id = "fund-verify"}).rows[0].outcome == (release ? "PASS" : "INVALID"));
  CHECK(arc_of(records, {.past = "496", .gate_id = "fund-verify"}).rows[0].outcome == (release ? "FAIL" : "INVALID"));
}

TEST_CASE("absolute times of an arc are walls for every row or device times for every row", "[arc]") {
  const std::map<std::string, double> both{{"decode.wall_ms/past=8", 2}, {"decode.gpu_ms/past=8", 1}};
  const std::map<std::string, double> device{{"decode.gpu_ms/past=8", 1.5}};
  const Arc walls = arc_of({run_of({{"a", both}, {"b", both}})});
  CHECK(walls.time_name == "wall");
  CHECK(walls.rows[0].decode_ms.value == 2.0);
  const Arc devices = arc_of({run_of({{"a", both}, {"b", device}})});
  CHECK(devices.time_name == "gpu");
  CHECK(devices.rows[0].decode_ms.value == 1.0);
  CHECK(devices.rows[1].decode_ms.value == 1.5);
}

TEST_CASE("runs of different devices or models are no arc unless that is allowed by name", "[arc]") {
  auto records = seed_arc();
  records.back()["devices"][0]["name"] = "another";
  CHECK_THROWS_AS(arc_of(records), core::EnvironmentError);
  CHECK_THROWS_AS(arc_of(records, {.allowed = {"model"}}), core::EnvironmentError);
  CHECK(arc_of(records, {.allowed = {"device"}}).rows.size() == 7);
  records = seed_arc();
  records.back()["model"]["name"] = "another";
  CHECK_THROWS_AS(arc_of(records), core::EnvironmentError);
  CHECK(reports::to_table(arc_of(records, {.allowed = {"model"}})).title ==
        "BEFORE -> now: several models on NVIDIA H200");
}

TEST_CASE("an arc without a figure says why and draws no bar for it", "[arc]") {
  auto records = seed_arc();
  records[1]["stacks"]["marlin"]["metrics"]["bstar.verify/m=8/past=unstated"] = {
      {"value", nullptr}, {"unit", "1"}, {"better", "lower"}, {"status", "failed"}, {"reason", "NaN in row 3"}};
  const Arc arc = arc_of(records);
  CHECK(arc.notes == std::vector<std::string>{"marlin: no B*: failed: NaN in row 3"});
  const auto bars = reports::to_bars(arc);
  CHECK(bars.find("  marlin             -\n") != std::string::npos);
  CHECK(reports::to_json(arc)["rows"][1]["bstar"]["value"].is_null());
}

TEST_CASE("the charts of an arc hold a bar and a title for every figure, and the bounds of the gate", "[arc]") {
  const auto charts = reports::to_charts(arc_of(seed_arc(), {.gate_id = "fund-verify"}));
  REQUIRE(charts.size() == 5);
  CHECK(count(charts[0], "<g class=\"mark\">") == 7);
  CHECK(count(charts[0], "<rect class=\"f4\"") == 3);  // FAIL
  CHECK(count(charts[0], "<rect class=\"f1\"") == 4);  // BETWEEN
  CHECK(charts[0].find("<title>marlin @c692bffe: 4.99, FAIL</title>") != std::string::npos);
  CHECK(charts[0].find(">no-go 4</text>") != std::string::npos);
  const auto file = reports::svg_file(charts);
  CHECK(count(file, "<svg ") == 6);
  CHECK(count(file, "<svg ") == count(file, "</svg>"));
}
