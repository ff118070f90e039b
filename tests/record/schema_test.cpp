#include "harness/record/schema_check.hpp"

#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>

#include "harness/core/error.hpp"
#include "harness/record/run_record.hpp"
#include "tests/catch.hpp"
#include "tests/folders.hpp"
#include "tests/record/sample_record.hpp"

using namespace gonogo;
using record::Json;
using record::schema_fault;

namespace {
Json changed(const std::string& pointer, const Json& value) {
  Json document = record::to_json(tests::sample_record());
  document[Json::json_pointer(pointer)] = value;
  return document;
}
std::string fault_at(const Json& document) {
  const auto fault = schema_fault(document, record::schema());
  return fault ? fault->place : "none";
}
}  // namespace

TEST_CASE("an emitted record fits the published schema", "[record]") {
  CHECK(fault_at(record::to_json(tests::sample_record())) == "none");
}

TEST_CASE("a record that breaks the schema is found by key path", "[record]") {
  CHECK(fault_at(changed("/context/num_cpus", 0)) == "context.num_cpus");
  CHECK(fault_at(changed("/context/num_cpus", "two")) == "context.num_cpus");
  CHECK(fault_at(changed("/context/json_schema_version", 2)) == "context.json_schema_version");
  CHECK(fault_at(changed("/status", "done")) == "status");
  CHECK(fault_at(changed("/extra_key", 1)) == "extra_key");
  CHECK(fault_at(changed("/devices", Json::array())) == "devices");
  CHECK(fault_at(changed("/benchmarks/0/real_time", nullptr)) == "benchmarks[0]");
  CHECK(fault_at(changed("/benchmarks/0/real_time", -1.0)) == "benchmarks[0]");
  CHECK(fault_at(changed("/stacks/latest/metrics/x", {{"value", 1}})) == "stacks.latest.metrics.x");
}

TEST_CASE("a metric has a value exactly when its status is ok", "[record]") {
  const auto metric = [](Json value, const char* status, Json reason) {
    return Json{{"value", value}, {"unit", "ms"}, {"better", "lower"}, {"status", status}, {"reason", reason}};
  };
  CHECK(fault_at(changed("/stacks/latest/metrics/x", metric(1.5, "ok", nullptr))) == "none");
  CHECK(fault_at(changed("/stacks/latest/metrics/x", metric(nullptr, "failed", "crashed"))) == "none");
  CHECK(fault_at(changed("/stacks/latest/metrics/x", metric(nullptr, "ok", nullptr))) == "stacks.latest.metrics.x");
  CHECK(fault_at(changed("/stacks/latest/metrics/x", metric(1.5, "failed", "crashed"))) == "stacks.latest.metrics.x");
  CHECK(fault_at(changed("/stacks/latest/metrics/x", metric(nullptr, "failed", nullptr))) == "stacks.latest.metrics.x");
  CHECK(fault_at(changed("/stacks/latest/metrics/x", metric(nullptr, "failed", ""))) == "stacks.latest.metrics.x");
}

TEST_CASE("a schema keyword that is not checked is a bug, not a pass", "[record]") {
  CHECK_THROWS_AS(schema_fault(Json(1), Json{{"maximum", 3}}), core::LogicError);
  CHECK_THROWS_AS(schema_fault(Json(1), Json{{"type", "float"}}), core::LogicError);
}

TEST_CASE("python's jsonschema agrees that records fit and broken records do not", "[record]") {
  const char* probe = "/usr/bin/python3 -c 'import jsonschema' > /dev/null 2>&1";
  if (std::system(probe) != 0) return tests::skip_test("python3-jsonschema is not installed");
  const auto folder = tests::build_folder();
  record::write_file(folder / "schema_test.schema.json", record::schema().dump());
  const auto verdict = [&](const Json& document) {
    record::write_file(folder / "schema_test.record.json", document.dump());
    const std::string command =
        "/usr/bin/python3 -W ignore -c 'import json,jsonschema,sys; s=json.load(open(sys.argv[1])); "
        "jsonschema.Draft7Validator.check_schema(s); sys.exit(0 if "
        "jsonschema.Draft7Validator(s).is_valid(json.load(open(sys.argv[2]))) else 9)' '" +
        (folder / "schema_test.schema.json").string() + "' '" + (folder / "schema_test.record.json").string() + "'";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;  // a crash of the script is 1, neither answer
  };
  CHECK(verdict(record::to_json(tests::sample_record())) == 0);
  CHECK(verdict(changed("/context/num_cpus", 0)) == 9);
  CHECK(verdict(changed("/benchmarks/0/real_time", nullptr)) == 9);
  CHECK(verdict(changed("/stacks/latest/metrics/x", {{"value", 1}})) == 9);
}
