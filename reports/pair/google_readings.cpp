#include "reports/pair/google_readings.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/stats/summary.hpp"

namespace gonogo::reports {
namespace {

std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

bool flag_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

struct Rows {
  std::vector<double> times;
  std::optional<double> median;  // as an aggregate row gives it, when single repetitions are not shown
  std::string unit, failed, skipped;
};

// One row into the benchmark it belongs to.
void take(Rows& rows, const Json& row, const std::string& source, const std::string& place) {
  if (flag_at(row, "error_occurred")) {
    rows.failed = fmt::format("error: {}", text_at(row, "error_message"));
    return;
  }
  if (flag_at(row, "skipped")) {
    rows.skipped = fmt::format("skipped: {}", text_at(row, "skip_message"));
    return;
  }
  const bool aggregate = text_at(row, "run_type") == "aggregate";
  if (aggregate && text_at(row, "aggregate_name") != "median") return;
  const auto time = row.find("real_time");
  if (time == row.end() || !time->is_number())
    throw core::InputError({source, place + ".real_time", "is no number", ""});
  const auto unit = text_at(row, "time_unit");
  if (unit.empty()) throw core::InputError({source, place + ".time_unit", "is missing", ""});
  if (!rows.unit.empty() && rows.unit != unit)
    throw core::InputError({source, place, fmt::format("is in {}, an earlier row of it in {}", unit, rows.unit), ""});
  rows.unit = unit;
  if (aggregate)
    rows.median = time->get<double>();
  else
    rows.times.push_back(time->get<double>());
}

Reading reading_of(const Rows& rows) {
  Reading reading{.value = std::nullopt, .unit = rows.unit, .better = record::Better::lower, .headline = true};
  if (!rows.failed.empty()) {
    reading.status = "failed";
    reading.reason = rows.failed;
  } else if (!rows.skipped.empty()) {
    reading.status = "skipped";
    reading.reason = rows.skipped;
  } else {
    reading.value = rows.times.empty() ? rows.median : stats::median(rows.times);
  }
  if (reading.status == "ok" && !reading.value) {
    reading.status = "unmeasured";
    reading.reason = "neither a repetition nor a median is shown";
  }
  return reading;
}

}  // namespace

bool is_google(const Json& document) {
  return document.is_object() && document.contains("context") && document.contains("benchmarks") &&
         document["context"].is_object() && document["benchmarks"].is_array();
}

Readings read_google(const Json& document, const std::string& source) {
  std::map<std::string, Rows> by_name;
  const Json& benchmarks = document["benchmarks"];
  for (std::size_t i = 0; i < benchmarks.size(); ++i) {
    const auto place = fmt::format("benchmarks[{}]", i);
    if (!benchmarks[i].is_object()) throw core::InputError({source, place, "is no object", ""});
    auto name = text_at(benchmarks[i], "run_name");
    if (name.empty()) name = text_at(benchmarks[i], "name");
    if (name.empty()) throw core::InputError({source, place, "has no name", ""});
    take(by_name[name], benchmarks[i], source, place);
  }
  if (by_name.empty()) throw core::InputError({source, "benchmarks", "is empty", "did a filter leave nothing?"});
  Readings readings;
  for (const auto& [name, rows] : by_name) readings.metrics[name] = reading_of(rows);
  const Json& context = document["context"];
  readings.facts["host"] = text_at(context, "host_name");
  if (const auto cpus = context.find("num_cpus"); cpus != context.end() && cpus->is_number_integer())
    readings.facts["device"] = fmt::format("{} cpus", cpus->get<std::int64_t>());
  if (text_at(context, "library_build_type") == "debug")
    readings.warnings.push_back("Google Benchmark was built as debug");
  return readings;
}

}  // namespace gonogo::reports
