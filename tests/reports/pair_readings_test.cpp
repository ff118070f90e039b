#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/record/run_record.hpp"
#include "reports/pair/readings.hpp"
#include "tests/catch.hpp"
#include "tests/record/sample_record.hpp"

using namespace gonogo;
using namespace gonogo::reports;

namespace {

std::string google(const std::string& rows) {
  return fmt::format(R"({{"context": {{"host_name": "h", "num_cpus": 2}}, "benchmarks": [{}]}})", rows);
}
std::string row(const std::string& name, const std::string& time, const std::string& more = "") {
  return fmt::format(R"({{"name": "{}", "run_type": "iteration", "real_time": {}, "time_unit": "us"{}}})", name, time,
                     more);
}
std::string sample_text() {
  auto run = tests::sample_record();
  run.rows.pop_back();
  run.stacks[0].metrics["decode.gpu_ms/past=512"] = record::measured(2.5, "ms", record::Better::lower);
  run.stacks[0].metrics["capture.graph_nodes/m=1"] = record::measured(40, "1", record::Better::none);
  return record::to_text(run);
}

}  // namespace

TEST_CASE("Google Benchmark's repetitions become their median, one metric a benchmark", "[pair]") {
  const auto readings = read_output(
      google(
          row("k", "3") + "," + row("k", "1") + "," + row("k", "2") + "," + row("other", "7.5") + "," +
          R"({"name": "k_mean", "run_name": "k", "run_type": "aggregate", "aggregate_name": "mean", "real_time": 99, "time_unit": "us"})"),
      "f");
  REQUIRE(readings.metrics.size() == 2);
  CHECK(readings.metrics.at("k").value == 2.0);
  CHECK(readings.metrics.at("k").unit == "us");
  CHECK(readings.metrics.at("k").better == record::Better::lower);
  CHECK(readings.metrics.at("other").value == 7.5);
  CHECK(readings.facts.at("host") == "h");
  CHECK_FALSE(readings.contract);
}

TEST_CASE("a median alone is read, other aggregates alone are no value", "[pair]") {
  const std::string aggregate =
      R"({{"name": "k_{0}", "run_name": "k", "run_type": "aggregate", "aggregate_name": "{0}", "real_time": 4, "time_unit": "ns"}})";
  CHECK(read_output(google(fmt::format(fmt::runtime(aggregate), "median")), "f").metrics.at("k").value == 4.0);
  const auto mean = read_output(google(fmt::format(fmt::runtime(aggregate), "mean")), "f").metrics.at("k");
  CHECK_FALSE(mean.value.has_value());
  CHECK(mean.status == "unmeasured");
}

TEST_CASE("a benchmark with an error has no value but its message", "[pair]") {
  const auto readings = read_output(google(R"({"name": "k", "error_occurred": true, "error_message": "no GPU"})"), "f");
  CHECK_FALSE(readings.metrics.at("k").value.has_value());
  CHECK(readings.metrics.at("k").status == "failed");
  CHECK(readings.metrics.at("k").reason == "error: no GPU");
}

TEST_CASE("output that is no result is refused with its source and place", "[pair]") {
  for (const std::string text :
       {"", "{}", "[]", "log line\n{}", R"({"context": {}, "benchmarks": [)", R"({"context": {}, "benchmarks": []})",
        R"({"context": {}, "benchmarks": {}})", R"({"schema": "gonogo/verdict", "schema_version": 1})",
        R"({"context": {}, "benchmarks": [3]})", R"({"context": {}, "benchmarks": [{"real_time": 1}]})"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(read_output(text, "f"), core::InputError);
  }
  CHECK_THROWS_AS(read_output(google(row("k", "NaN")), "f"), core::InputError);
  CHECK_THROWS_AS(read_output(google(row("k", "null")), "f"), core::InputError);
  CHECK_THROWS_AS(read_output(google(row("k", "1E999")), "f"), core::InputError);
  CHECK_THROWS_AS(read_output(google(R"({"name": "k", "real_time": 1})"), "f"), core::InputError);
  CHECK_THROWS_AS(read_output(google(row("k", "1") + R"(, {"name": "k", "real_time": 1, "time_unit": "ms"})"), "f"),
                  core::InputError);
  const std::string whole = sample_text();
  for (const std::size_t part : {1U, 2U, 3U})
    CHECK_THROWS_AS(read_output(whole.substr(0, whole.size() * part / 4), "f"), core::InputError);
}

TEST_CASE("a run record gives the metrics of its stack and the facts of its machine", "[pair]") {
  const auto readings = read_output(sample_text(), "f");
  CHECK(readings.contract);
  CHECK(readings.partial_reason.empty());
  CHECK(readings.metrics.at("decode.gpu_ms/past=512").value == 2.5);
  CHECK(readings.metrics.at("decode.gpu_ms/past=512").headline);
  CHECK(readings.metrics.at("dram.share/m=1/op=gate_up").status == "unmeasured");
  CHECK_FALSE(readings.facts.at("device").empty());
  CHECK_THROWS_AS(read_output(sample_text(), "f", "before"), core::UsageError);
  auto partial = tests::sample_record();
  partial.complete = false;
  partial.partial_reason = "interrupted";
  CHECK(read_output(record::to_text(partial), "f").partial_reason == "interrupted");
}

TEST_CASE("metrics are selected by name or pattern, headlines without one, never those without a direction", "[pair]") {
  const auto readings = read_output(sample_text(), "f");
  using Names = std::vector<std::string>;
  CHECK(selected(readings, {}) == Names{"decode.gpu_ms/past=512"});
  CHECK(selected(readings, {"bstar.*"}) == Names{"bstar.verify/m=8/past=512"});
  CHECK(selected(readings, {"capture.*"}).empty());
  CHECK(selected(readings, {"*"}).size() == 2);
  CHECK(selected(readings, {"dram.*"}).empty());  // the run does not measure it
  CHECK(selected(readings, {"dram.share/m=1/op=gate_up"}).size() == 1);
}

TEST_CASE("a star stands for any text, everything else for itself", "[pair]") {
  CHECK(matches("*", ""));
  CHECK(matches("a*c", "abbc"));
  CHECK(matches("a*b*c", "a/b/b/c"));
  CHECK_FALSE(matches("a*c", "abcd"));
  CHECK_FALSE(matches("ab", "abc"));
  CHECK_FALSE(matches("a.c", "abc"));
}

TEST_CASE("names are split at commas, but not inside brackets", "[pair]") {
  using Names = std::vector<std::string>;
  CHECK(split_names("a,b") == Names{"a", "b"});
  CHECK(split_names("BM<int, float>(1,2),c") == Names{"BM<int, float>(1,2)", "c"});
  CHECK(split_names("a,,b") == Names{"a", "", "b"});
}
