// What other tools would read.

#include <nlohmann/json.hpp>
#include "reports/export/exports.hpp"

#include "harness/record/strict_json.hpp"
#include "reports/compare/comparison.hpp"
#include "tests/catch.hpp"
#include "tests/folders.hpp"
#include "tests/record/sample_record.hpp"

using namespace gonogo;
using record::Better;
using reports::Json;

namespace {
const std::string kSamples = (tests::source_folder() / "tests/reports/samples/").string();
}

TEST_CASE("every format exports to Google Benchmark and compares with itself unchanged", "[export]") {
  for (const char* file : {"google-base.json", "nvbench-base.json", "llama-base.json", "hyperfine-base.json",
                           "criterion/bench0/new/sample.json"}) {
    CAPTURE(file);
    const auto run = reports::read_run(kSamples + file);
    const auto exported = reports::export_google(run);
    CHECK(exported.document["context"]["json_schema_version"] == 1);
    CHECK(exported.document["context"]["caches"].is_array());
    for (const Json& row : exported.document["benchmarks"]) {
      CHECK(row["real_time"].is_number());
      CHECK(row["time_unit"] == "ns");
    }
    const auto again = reports::parse_run(record::dump_strict(exported.document), "again.json");
    const auto first = std::find_if(run.rows.begin(), run.rows.end(), [](const auto& row) { return row.unit == "ms"; });
    REQUIRE(first != run.rows.end());
    REQUIRE(again.rows[0].samples.size() == first->samples.size());
    for (std::size_t i = 0; i < first->samples.size(); ++i)
      CHECK(again.rows[0].samples[i] == Approx(first->samples[i]).epsilon(1e-12));
    const auto comparison = reports::compare({again}, {again}, {});
    CHECK(comparison.counts.count(reports::Finding::regression) == 0);
  }
}

TEST_CASE("rows without a value are left out of every export and named", "[export]") {
  const auto run = reports::read_run(kSamples + "google-base.json");
  const auto google = reports::export_google(run);
  REQUIRE(google.left_out.size() == 1);
  CHECK(google.left_out[0].find("broken real_time: failed: no device") == 0);
  CHECK(reports::export_bencher(run).left_out.size() == 1);
  CHECK(!reports::export_bencher(run).document.contains("broken real_time"));
}

TEST_CASE("Bencher's form has a value between its bounds, by benchmark and measure", "[export]") {
  const auto exported = reports::export_bencher(reports::read_run(kSamples + "hyperfine-base.json"));
  const Json& latency = exported.document["tool --small"]["latency"];
  CHECK(latency["value"].get<double>() == Approx(52e6).epsilon(0.02));
  CHECK(latency["lower_value"] <= latency["value"]);
  CHECK(latency["upper_value"] >= latency["value"]);
  CHECK(exported.rows == 2);
}

TEST_CASE("github-action-benchmark's two forms divide the rows by direction", "[export]") {
  const auto run = reports::read_run(kSamples + "google-base.json");
  const auto smaller = reports::export_action(run, Better::lower), bigger = reports::export_action(run, Better::higher);
  CHECK(smaller.rows == 4);
  CHECK(bigger.rows == 4);
  CHECK(smaller.document[0]["name"] == "copy/64 real_time");
  CHECK(smaller.document[0]["unit"] == "ms");
  CHECK(smaller.document[0]["value"].get<double>() == Approx(0.0052).epsilon(0.02));
  CHECK(smaller.document[0]["range"].get<std::string>().find("\xC2\xB1 ") == 0);
  CHECK(bigger.document[0]["name"] == "copy/64 bytes_per_second");
  CHECK(smaller.document.dump().find("bytes_per_second") == std::string::npos);
}

TEST_CASE("an export of one sample has no bounds and no spread", "[export]") {
  const auto run = reports::parse_run(R"({"benchmarks": [{"name": "k", "real_time": 5}]})", "a");
  CHECK(!reports::export_bencher(run).document["k"]["latency"].contains("lower_value"));
  CHECK(!reports::export_action(run, Better::lower).document[0].contains("range"));
}
