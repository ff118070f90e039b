// Google Benchmark JSON for tests of comparisons, from little.
#pragma once

#include <string>
#include <vector>

#include "harness/record/strict_json.hpp"

namespace gonogo::tests {

using Json = record::Json;

/// {"name", "ns": [...]} with optional "iterations", "planned", "counters": {name: [...]}; or {"name", "error"} or
/// {"name", "skip"}.
inline void append_google_rows(Json& rows, const Json& row) {
  const std::string name = row["name"];
  const Json head{{"name", name}, {"run_name", name}, {"run_type", "iteration"}};
  if (row.contains("error") || row.contains("skip")) {
    rows.push_back(head);
    const bool error = row.contains("error");
    rows.back()[error ? "error_occurred" : "skipped"] = true;
    rows.back()[error ? "error_message" : "skip_message"] = row[error ? "error" : "skip"];
    return;
  }
  const Json& times = row["ns"];
  for (std::size_t i = 0; i < times.size(); ++i) {
    Json each = head;
    each.update({{"repetitions", row.value("planned", times.size())},
                 {"repetition_index", i},
                 {"threads", 1},
                 {"iterations", row.value("iterations", 1)},
                 {"real_time", times[i]},
                 {"cpu_time", times[i]},
                 {"time_unit", "ns"}});
    if (row.contains("counters"))
      for (const auto& [counter, values] : row["counters"].items()) each[counter] = values[i];
    rows.push_back(std::move(each));
  }
}

inline std::string google_text(const Json& rows, const Json& context = Json::object()) {
  Json document{{"context",
                 {{"host_name", "h"},
                  {"executable", "./bench"},
                  {"num_cpus", 8},
                  {"mhz_per_cpu", 3000},
                  {"cpu_scaling_enabled", false},
                  {"caches", Json::array()},
                  {"library_build_type", "release"}}},
                {"benchmarks", Json::array()}};
  for (const auto& [key, value] : context.items()) document["context"][key] = value;
  if (rows.is_object())  // what {row} makes
    append_google_rows(document["benchmarks"], rows);
  else
    for (const Json& row : rows) append_google_rows(document["benchmarks"], row);
  return record::dump_strict(std::move(document));
}

/// {"name": name, "ns": [center, ...]} with a spread of about 0.4 % that `seed` shifts.
inline Json steady(const std::string& name, double center_ns, std::size_t n = 10, unsigned seed = 1) {
  Json times = Json::array();
  unsigned state = seed * 2654435761U + 12345U;
  for (std::size_t i = 0; i < n; ++i) {
    state = state * 1664525U + 1013904223U;
    times.push_back(center_ns * (1 + 0.008 * (static_cast<double>(state >> 8) / 16777216.0 - 0.5)));
  }
  return {{"name", name}, {"ns", std::move(times)}};
}

}  // namespace gonogo::tests
