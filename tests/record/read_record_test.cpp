#include <nlohmann/json.hpp>

#include "harness/core/error.hpp"
#include "harness/record/run_record.hpp"
#include "harness/record/strict_json.hpp"
#include "tests/catch.hpp"
#include "tests/record/sample_record.hpp"

using namespace gonogo;
using record::Json;

namespace {
std::string refusal(const std::string& text) {
  try {
    (void)record::parse_record(text, "run.json");
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "accepted";
}
std::string refusal(const Json& document) { return refusal(record::dump_strict(document)); }
bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
}  // namespace

TEST_CASE("a record reads back equal to what was written", "[record]") {
  const auto run = tests::sample_record();
  CHECK(record::parse_record(record::to_text(run), "run.json") == record::to_json(run));
}

TEST_CASE("a record cut at any byte is refused, never half used", "[record]") {
  const auto text = record::to_text(tests::sample_record());
  for (std::size_t length = 0; length + 2 < text.size(); length += 97) {
    CAPTURE(length);
    CHECK(holds(refusal(text.substr(0, length)), "run.json: "));
  }
  CHECK(refusal(text) == "accepted");
}

TEST_CASE("JSON that is no record is refused by name", "[record]") {
  CHECK(holds(refusal(std::string("[]")), "run.json: is a JSON array"));
  CHECK(holds(refusal(std::string("{}")), "no gonogo run record"));
  CHECK(holds(refusal(std::string(R"({"schema": "other"})")), "no gonogo run record"));
  CHECK(holds(refusal(std::string(R"({"schema": "gonogo/run-record", "schema_version": 2})")),
              "schema_version: wanted 1, got 2"));
  CHECK(holds(refusal(std::string(R"({"schema": "gonogo/run-record"})")), "wanted 1, got nothing"));
  const auto text = record::to_text(tests::sample_record());
  CHECK(holds(refusal("starting\n" + text), "line 1"));
  CHECK(holds(refusal(text + text), "run.json: line"));
  CHECK(holds(refusal(text + "done\n"), "run.json: line"));
  CHECK(holds(refusal("\xEF\xBB\xBF" + text), "byte order mark"));
}

TEST_CASE("a record without a benchmark and without a value is an error", "[record]") {
  Json document = record::to_json(tests::sample_record());
  document["benchmarks"] = Json::array();
  CHECK(refusal(document) == "accepted");  // counts alone are results
  for (auto& [name, stack] : document["stacks"].items()) stack["metrics"] = Json::object();
  CHECK(holds(refusal(document), "benchmarks: the record holds no benchmark"));
}

TEST_CASE("a row given twice is an error", "[record]") {
  Json document = record::to_json(tests::sample_record());
  document["benchmarks"].push_back(document["benchmarks"][0]);
  CHECK(holds(refusal(document), "latest/verify/m:8/past:512 is there twice"));
}

TEST_CASE("a metric that is a word, a null without status or an overflow is refused by key path", "[record]") {
  const std::string good = R"("value": 2.16)";
  const auto text = record::to_text(tests::sample_record());
  REQUIRE(holds(text, good));
  const auto with = [&](const std::string& value) {
    return std::string(text).replace(text.find(good), good.size(), "\"value\": " + value);
  };
  const std::string place = "stacks.latest.metrics.bstar.verify/m=8/past=512";
  for (const char* value :
       {"null", "\"NaN\"", "nan", "1E999", "1e-400", "18446744073709551616", "[2.16]", "{}", "true"}) {
    CAPTURE(value);
    CHECK(holds(refusal(with(value)), place));
  }
  CHECK(refusal(with("3")) == "accepted");
}

TEST_CASE("a partial record is read", "[record]") {
  auto run = tests::sample_record();
  run.complete = false;
  run.partial_reason = "interrupted";
  CHECK(record::parse_record(record::to_text(run), "run.json")["partial_reason"] == "interrupted");
}
