#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <cmath>
#include <set>
#include <utility>

#include "harness/core/error.hpp"
#include "harness/record/google_rows.hpp"
#include "harness/record/run_record.hpp"
#include "harness/record/strict_json.hpp"

namespace gonogo::record {
namespace {

// Value and status must agree; where they do not, the record says so instead of carrying a number nobody vouches for.
Metric settled(const Metric& metric) {
  Metric result = metric.status == Status::ok ? measured(metric.value, metric.unit, metric.better) : metric;
  if (result.status != Status::ok && result.value && std::isfinite(*result.value)) result.observed = result.value;
  if (result.status != Status::ok && result.reason.empty()) result.reason = "no reason was given";
  if (result.unit.empty()) result.unit = std::string(1, '1');  // a count or a ratio
  return result;
}

Json metric_json(const Metric& raw) {
  const Metric metric = settled(raw);
  const bool ok = metric.status == Status::ok;
  Json result{{"value", ok ? Json(*metric.value) : Json(nullptr)},
              {"unit", metric.unit},
              {"better", name_of(metric.better)},
              {"status", name_of(metric.status)},
              {"reason", ok ? Json(nullptr) : Json(metric.reason)}};
  if (!ok && metric.observed && std::isfinite(*metric.observed)) result["observed"] = *metric.observed;
  return result;
}

Json stacks_json(const std::vector<StackResult>& stacks) {
  Json result = Json::object();
  for (const StackResult& stack : stacks) {
    GONOGO_EXPECT(!result.contains(stack.name), fmt::format("stack {} is there twice", stack.name));
    Json metrics = Json::object();
    for (const auto& [name, metric] : stack.metrics) metrics[name] = metric_json(metric);
    result[stack.name] = {{"levers", stack.levers}, {"metrics", std::move(metrics)}};
  }
  return result;
}

Json benchmarks_json(const std::vector<Row>& rows) {
  Json result = Json::array();
  std::set<std::string> names;
  for (std::size_t family = 0; family < rows.size(); ++family) {
    GONOGO_EXPECT(names.insert(rows[family].name).second, fmt::format("row {} is there twice", rows[family].name));
    append_google_rows(result, rows[family], family);
  }
  return result;
}

Json without_paths(Json value) {
  if (value.is_string()) return path_free(value.get<std::string>());
  if (value.is_structured())
    for (auto& member : value) member = without_paths(std::move(member));
  return value;
}

Json object_or_null(const Json& value) { return value.is_object() ? value : Json(nullptr); }

}  // namespace

Json to_json(const RunRecord& record) {
  GONOGO_EXPECT(record.environment.is_object(), "the environment comes from describe_environment()");
  Json result{{"schema", "gonogo/run-record"},
              {"schema_version", kSchemaVersion},
              {"status", record.complete ? "complete" : "partial"},
              {"partial_reason", nullptr}};
  if (!record.complete) result["partial_reason"] = record.partial_reason.empty() ? "running" : record.partial_reason;
  for (const char* key : {"context", "devices", "build", "argv"}) result[key] = record.environment.at(key);
  result["model"] = object_or_null(record.model);
  result["options"] = without_paths(object_or_null(record.options));
  result["levers"] = Json::object();
  for (const StackResult& stack : record.stacks) result["levers"][stack.name] = stack.levers;
  result["plan"] = object_or_null(record.plan);
  result["stacks"] = stacks_json(record.stacks);
  result["benchmarks"] = benchmarks_json(record.rows);
  result["probes"] = object_or_null(record.probes);
  result["verdict"] = object_or_null(record.verdict);
  result["warnings"] = record.warnings;
  for (const std::string& path : make_strict(result))
    result["warnings"].push_back(path + " was not finite and is null");
  return result;
}

std::string to_text(const RunRecord& record) { return dump_strict(to_json(record)); }

}  // namespace gonogo::record
