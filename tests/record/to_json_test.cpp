#include <nlohmann/json.hpp>
#include <cmath>
#include <limits>

#include "harness/core/error.hpp"
#include "harness/record/run_record.hpp"
#include "harness/record/schema_check.hpp"
#include "harness/record/strict_json.hpp"
#include "tests/catch.hpp"
#include "tests/record/sample_record.hpp"

using namespace gonogo;
using record::Json;

namespace {
const double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<Json> rows_of(const Json& document, const std::string& run_name) {
  std::vector<Json> rows;
  for (const Json& row : document["benchmarks"])
    if (row["run_name"] == run_name) rows.push_back(row);
  return rows;
}
bool fits(const Json& document) { return !record::schema_fault(document, record::schema()).has_value(); }
}  // namespace

TEST_CASE("a metric name carries its labels in alphabetical order", "[record]") {
  CHECK(record::metric_name("verify.gpu_ms", {{"past", "512"}, {"m", "8"}}) == "verify.gpu_ms/m=8/past=512");
  CHECK(record::metric_name("stability.growths", {}) == "stability.growths");
}

TEST_CASE("every sample is a row of its own, with the aggregates after them", "[record]") {
  const Json document = record::to_json(tests::sample_record());
  const auto rows = rows_of(document, "latest/verify/m:8/past:512");
  REQUIRE(rows.size() == 7 + 3);
  CHECK(rows[1]["repetition_index"] == 1);
  CHECK(rows[1]["repetitions"] == 7);
  CHECK(rows[1]["iterations"] == 1);
  CHECK(rows[1]["real_time"] == 2.5 + 0.25 + 0.5);
  CHECK(rows[1]["cpu_time"] == rows[1]["real_time"]);  // on the cpu backend the host does all of it
  CHECK(rows[1]["gonogo"]["gpu_ms"] == 2.5);
  CHECK(rows[8]["aggregate_name"] == "median");
  CHECK(rows[8]["name"] == "latest/verify/m:8/past:512_median");
  CHECK(rows[8]["real_time"] == 2.25 + 0.75);
  const Json& summary = rows[8]["gonogo"]["summary"]["gpu_ms"];
  CHECK(summary["n"] == 7);
  CHECK(summary["min"] == 2.0);
  CHECK(summary["max"] == 3.0);
  CHECK(summary["median_ci95"][0].get<double>() <= 2.25);
  CHECK(summary["median_ci95"][1].get<double>() >= 2.25);
}

TEST_CASE("on another backend cpu_time is the host's part only", "[record]") {
  auto run = tests::sample_record();
  run.rows[0].backend = "cuda";
  CHECK(rows_of(record::to_json(run), run.rows[0].name)[0]["cpu_time"] == 0.5);
}

TEST_CASE("one sample has a mean and a median but neither deviation nor interval", "[record]") {
  const auto rows = rows_of(record::to_json(tests::sample_record()), "latest/decode/past:512");
  REQUIRE(rows.size() == 3);
  CHECK(rows[1]["aggregate_name"] == "mean");
  CHECK(rows[2]["aggregate_name"] == "median");
  CHECK(rows[2]["gonogo"]["summary"]["gpu_ms"]["stddev"].is_null());
  CHECK(rows[2]["gonogo"]["summary"]["gpu_ms"]["median_ci95"].is_null());
}

TEST_CASE("a failed row keeps its reason and carries no time at all", "[record]") {
  const auto rows = rows_of(record::to_json(tests::sample_record()), "latest/prefill/l:64");
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["error_occurred"] == true);
  CHECK(rows[0]["error_message"] == "logits of row 0 hold NaN");
  CHECK(rows[0]["gonogo"]["status"] == "failed");
  CHECK_FALSE(rows[0].contains("real_time"));
  CHECK(rows[0]["time_unit"].is_null());
}

TEST_CASE("a sample that is no time makes its row invalid, whatever the row claims", "[record]") {
  for (const double bad : {kNan, std::numeric_limits<double>::infinity(), -0.5}) {
    auto run = tests::sample_record();
    run.rows[0].gpu_ms[2] = bad;
    const Json document = record::to_json(run);
    const auto rows = rows_of(document, run.rows[0].name);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0]["gonogo"]["status"] == "invalid");
    CHECK(rows[0]["gonogo"]["reason"].get<std::string>().find("sample 2 of gpu_ms is") == 0);
    CHECK(fits(document));
  }
}

TEST_CASE("a row that claims to be ok without a sample is invalid", "[record]") {
  auto run = tests::sample_record();
  run.rows.push_back(tests::sample_row("latest/empty", {}));
  const auto rows = rows_of(record::to_json(run), "latest/empty");
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["gonogo"]["reason"] == "no sample was taken");
}

TEST_CASE("a metric that is missing or not finite is null with status and reason", "[record]") {
  auto run = tests::sample_record();
  auto& metrics = run.stacks[0].metrics;
  metrics["a"] = {.value = kNan, .unit = "ms"};
  metrics["b"] = {.value = std::nullopt, .unit = "ms"};
  metrics["c"] = {.value = 1.3, .unit = "1", .status = record::Status::invalid, .reason = "above the roofline"};
  metrics["d"] = {.value = std::nullopt, .unit = "ms", .status = record::Status::failed};
  const Json document = record::to_json(run);
  const Json& written = document["stacks"]["latest"]["metrics"];
  CHECK(written["a"]["value"].is_null());
  CHECK(written["a"]["status"] == "invalid");
  CHECK(written["a"]["reason"] == "the value was nan");
  CHECK(written["b"]["status"] == "unmeasured");
  CHECK(written["c"]["value"].is_null());
  CHECK(written["c"]["observed"] == 1.3);
  CHECK(written["d"]["reason"] == "no reason was given");
  CHECK(written["bstar.verify/m=8/past=512"]["value"] == 2.16);
  CHECK(fits(document));
}

TEST_CASE("a NaN inside a free-form part becomes null with a warning that names it", "[record]") {
  auto run = tests::sample_record();
  run.probes["capture"]["share"] = kNan;
  const Json document = record::to_json(run);
  CHECK(document["probes"]["capture"]["share"].is_null());
  REQUIRE(document["warnings"].size() == 1);
  CHECK(document["warnings"][0] == "probes.capture.share was not finite and is null");
  CHECK(record::to_text(run).find("nan") == std::string::npos);
}

TEST_CASE("a record is valid and marked partial until it is complete", "[record]") {
  auto run = tests::sample_record();
  run.complete = false;
  run.partial_reason = "interrupted";
  Json document = record::to_json(run);
  CHECK(document["status"] == "partial");
  CHECK(document["partial_reason"] == "interrupted");
  CHECK(fits(document));
  record::RunRecord empty;
  empty.environment = run.environment;
  document = record::to_json(empty);
  CHECK(document["partial_reason"] == "running");
  CHECK(fits(document));
}

TEST_CASE("no folder of this machine enters a record", "[record]") {
  const auto text = record::to_text(tests::sample_record());
  for (const char* folder : {"/opt/", "/data/", "/tmp/", "/home/", "/work/", "/root/"}) {
    CAPTURE(folder);
    CHECK(text.find(folder) == std::string::npos);
  }
  CHECK(record::path_free("/data/models/glm/") == "glm");
  CHECK(record::path_free("--json=/tmp/run.json") == "--json=run.json");
  CHECK(record::path_free("--json=~/run.json") == "--json=run.json");
  CHECK(record::path_free("models/tiny") == "models/tiny");
  CHECK(record::path_free("preset:tiny") == "preset:tiny");
  CHECK(record::path_free("/") == "/");
  CHECK(record::path_free("") == "");
}

TEST_CASE("integers beyond 2^53 leave as strings", "[record]") {
  CHECK(record::to_json(tests::sample_record())["model"]["weight_bytes"] == "9007199254740993");
}

TEST_CASE("two rows or stacks of one name, or uneven sample lists, are a bug of the caller", "[record]") {
  auto run = tests::sample_record();
  run.rows.push_back(run.rows[0]);
  CHECK_THROWS_AS(record::to_json(run), core::LogicError);
  run = tests::sample_record();
  run.stacks.push_back(run.stacks[0]);
  CHECK_THROWS_AS(record::to_json(run), core::LogicError);
  run = tests::sample_record();
  run.rows[0].host_ms.pop_back();
  CHECK_THROWS_AS(record::to_json(run), core::LogicError);
  run = tests::sample_record();
  run.rows[0].counters["real_time"] = 1;
  CHECK_THROWS_AS(record::to_json(run), core::LogicError);
}

TEST_CASE("the environment says what ran where and from which commit", "[record]") {
  const char* argv[] = {"/usr/bin/tool", "--past", "512"};
  const Json environment = record::describe_environment(3, argv);
  CHECK(environment["argv"] == Json::array({"tool", "--past", "512"}));
  CHECK(environment["context"]["executable"] == "tool");
  CHECK(environment["context"]["date"].get<std::string>().size() == 25);
  CHECK(environment["context"]["num_cpus"].get<int>() >= environment["context"]["available_cpus"].get<int>());
  const auto sha = environment["build"]["git_sha"].get<std::string>();
  const bool hex = sha.size() == 40 && sha.find_first_not_of("0123456789abcdef") == std::string::npos;
  CHECK((hex || sha == "unknown"));
  CHECK(environment["build"]["git_dirty"].is_null() == (sha == "unknown"));
  CHECK(environment["build"]["libraries"].contains("fmt"));
  CHECK(environment["devices"][0]["kind"] == "cpu");
}
