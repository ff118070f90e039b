#include "harness/record/google_rows.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "harness/core/error.hpp"
#include "harness/stats/bootstrap.hpp"
#include "harness/stats/summary.hpp"

namespace gonogo::record {
namespace {

Json optional_number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

double part(const std::vector<double>& values, std::size_t sample) { return values.empty() ? 0.0 : values[sample]; }

std::vector<double> wall_of(const Row& row) {
  std::vector<double> wall(row.gpu_ms.size());
  for (std::size_t i = 0; i < wall.size(); ++i) wall[i] = row.gpu_ms[i] + part(row.d2h_ms, i) + part(row.host_ms, i);
  return wall;
}

// What the host worked: everything on the cpu backend, all but device time and copies on another.
std::vector<double> host_work_of(const Row& row) {
  if (row.backend == "cpu") return wall_of(row);
  std::vector<double> work(row.gpu_ms.size());
  for (std::size_t i = 0; i < work.size(); ++i) work[i] = part(row.host_ms, i);
  return work;
}

void expect_equal_lengths(const Row& row) {
  const std::size_t n = row.gpu_ms.size();
  for (const std::size_t other : {row.d2h_ms.size(), row.host_ms.size(), row.flags.size()})
    GONOGO_EXPECT(other == 0 || other == n,
                  fmt::format("row {} has {} gpu samples and {} of another part", row.name, n, other));
}

// Why a row that claims to be ok cannot be: nothing measured, or a sample that is no time. Empty when it can.
std::string fault_of(const Row& row) {
  if (row.gpu_ms.empty()) return "no sample was taken";
  const std::pair<const char*, const std::vector<double>*> parts[] = {
      {"gpu_ms", &row.gpu_ms}, {"d2h_ms", &row.d2h_ms}, {"host_ms", &row.host_ms}};
  for (const auto& [name, values] : parts)
    for (std::size_t i = 0; i < values->size(); ++i)
      if (!std::isfinite((*values)[i]) || (*values)[i] < 0)
        return fmt::format("sample {} of {} is {}", i, name, (*values)[i]);
  return "";
}

Json summary_json(const std::vector<double>& values) {
  const auto summary = stats::summarize(values);
  return {{"n", summary.n},
          {"min", optional_number(summary.min)},
          {"p10", optional_number(summary.p10)},
          {"median", optional_number(summary.median)},
          {"p90", optional_number(summary.p90)},
          {"max", optional_number(summary.max)},
          {"mean", optional_number(summary.mean)},
          {"stddev", optional_number(summary.stddev)}};
}

Json interval_json(const std::vector<double>& values) {
  const auto interval = stats::bootstrap_median(values, {.resamples = 1000});
  return interval ? Json::array({interval->low, interval->high}) : Json(nullptr);
}

Json identity(const Row& row, std::string_view status) {
  return {
      {"metric", row.metric}, {"stack", row.stack}, {"mode", row.mode}, {"backend", row.backend}, {"status", status}};
}

Json head(const Row& row, std::size_t family, const std::string& suffix, const char* run_type) {
  return {{"name", row.name + suffix}, {"family_index", family}, {"per_family_instance_index", 0},
          {"run_name", row.name},      {"run_type", run_type},   {"repetitions", row.gpu_ms.size()}};
}

void append_samples(Json& benchmarks, const Row& row, std::size_t family) {
  const auto wall = wall_of(row), work = host_work_of(row);
  for (std::size_t i = 0; i < wall.size(); ++i) {
    Json sample = head(row, family, "", "iteration");
    sample.update({{"repetition_index", i},
                   {"threads", 1},
                   {"iterations", 1},
                   {"real_time", wall[i]},
                   {"cpu_time", work[i]},
                   {"time_unit", "ms"}});
    sample["gonogo"] = {{"gpu_ms", row.gpu_ms[i]},
                        {"d2h_ms", row.d2h_ms.empty() ? Json(nullptr) : Json(row.d2h_ms[i])},
                        {"host_ms", row.host_ms.empty() ? Json(nullptr) : Json(row.host_ms[i])},
                        {"flags", row.flags.empty() ? Json::array() : Json(row.flags[i])}};
    benchmarks.push_back(std::move(sample));
  }
}

Json summaries(const Row& row) {
  Json result = Json::object();
  result["gpu_ms"] = summary_json(row.gpu_ms);
  result["gpu_ms"]["median_ci95"] = interval_json(row.gpu_ms);
  if (!row.d2h_ms.empty()) result["d2h_ms"] = summary_json(row.d2h_ms);
  if (!row.host_ms.empty()) result["host_ms"] = summary_json(row.host_ms);
  result["wall_ms"] = summary_json(wall_of(row));
  return result;
}

void append_aggregates(Json& benchmarks, const Row& row, std::size_t family) {
  const auto wall = stats::summarize(wall_of(row)), work = stats::summarize(host_work_of(row));
  const std::pair<const char*, std::pair<std::optional<double>, std::optional<double>>> aggregates[] = {
      {"mean", {wall.mean, work.mean}}, {"median", {wall.median, work.median}}, {"stddev", {wall.stddev, work.stddev}}};
  for (const auto& [name, times] : aggregates) {
    if (!times.first || !times.second) continue;
    Json aggregate = head(row, family, std::string("_") + name, "aggregate");
    aggregate.update({{"threads", 1},
                      {"aggregate_name", name},
                      {"aggregate_unit", "time"},
                      {"iterations", row.gpu_ms.size()},
                      {"real_time", *times.first},
                      {"cpu_time", *times.second},
                      {"time_unit", "ms"}});
    if (std::string_view(name) == "median") {
      for (const auto& [counter, value] : row.counters) {
        GONOGO_EXPECT(!aggregate.contains(counter) && counter != "gonogo", "counter name " + counter);
        if (std::isfinite(value)) aggregate[counter] = value;  // Google's readers know no absent counter
      }
      aggregate["gonogo"] = identity(row, "ok");
      aggregate["gonogo"]["summary"] = summaries(row);
      aggregate["gonogo"]["extra"] = row.extra;
    }
    benchmarks.push_back(std::move(aggregate));
  }
}

// "aggregate" keeps Google's geomean from asking for a time; a null unit keeps it from being paired.
void append_status(Json& benchmarks, const Row& row, std::size_t family, const std::string& reason) {
  const Status status = row.status == Status::ok ? Status::invalid : row.status;
  const bool skipped = status == Status::skipped || status == Status::unmeasured;
  Json result = head(row, family, "", "aggregate");
  result["aggregate_name"] = "status";
  result["time_unit"] = nullptr;
  result[skipped ? "skipped" : "error_occurred"] = true;
  result[skipped ? "skip_message" : "error_message"] = reason;
  result["gonogo"] = identity(row, name_of(status));
  result["gonogo"].update({{"reason", reason},
                           {"gpu_ms", row.gpu_ms},
                           {"d2h_ms", row.d2h_ms},
                           {"host_ms", row.host_ms},
                           {"extra", row.extra}});
  benchmarks.push_back(std::move(result));
}

}  // namespace

void append_google_rows(Json& benchmarks, const Row& row, std::size_t family) {
  expect_equal_lengths(row);
  const std::string fault = row.status == Status::ok ? fault_of(row) : "";
  if (row.status != Status::ok || !fault.empty())
    return append_status(benchmarks, row, family,
                         !fault.empty()       ? fault
                         : row.reason.empty() ? "no reason was given"
                                              : row.reason);
  append_samples(benchmarks, row, family);
  append_aggregates(benchmarks, row, family);
}

}  // namespace gonogo::record
