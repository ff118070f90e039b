#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/export/names.hpp"

namespace gonogo::reports {
namespace {

constexpr double kNsPerMs = 1e6;

// Bencher's reader asks for caches, Google's compare.py for json_schema_version.
Json context_of(const ImportedRun& run) {
  Json context{{"date", "1970-01-01T00:00:00+00:00"},
               {"host_name", ""},
               {"executable", run.argv.empty() ? "" : run.argv.front()},
               {"num_cpus", 1},
               {"mhz_per_cpu", 0},
               {"cpu_scaling_enabled", false},
               {"caches", Json::array()},
               {"load_avg", Json::array()},
               {"library_build_type", "release"},
               {"json_schema_version", 1},
               {"exported_from", name_of(run.format)}};
  for (const Fact& fact : run.facts) {
    if (fact.key == "host") context["host_name"] = fact.value;
    if (fact.key == "cpus" || fact.key == "cores") context["num_cpus"] = std::strtoll(fact.value.c_str(), nullptr, 10);
    if (fact.key == "mhz") context["mhz_per_cpu"] = std::strtoll(fact.value.c_str(), nullptr, 10);
    if (fact.key == "build_type")
      context["library_build_type"] = fact.value == "Debug" || fact.value == "debug" ? "debug" : "release";
    if (fact.key == "clock_policy" || fact.key == "cpu_clock_policy")
      context["cpu_scaling_enabled"] = fact.value == "scaling";
    if (fact.key == "device" || fact.key == "model") context[fact.key] = fact.value;
  }
  return context;
}

Json sample_row(const ImportedRow& row, const std::string& name, std::size_t index, std::size_t family) {
  const double ns = row.samples[index] * kNsPerMs;
  return {{"name", name},
          {"family_index", family},
          {"per_family_instance_index", 0},
          {"run_name", name},
          {"run_type", "iteration"},
          {"repetitions", row.samples.size()},
          {"repetition_index", index},
          {"threads", 1},
          {"iterations", static_cast<std::int64_t>(row.iterations)},
          {"real_time", ns},
          {"cpu_time", ns},
          {"time_unit", "ns"}};
}

}  // namespace

Exported export_google(const ImportedRun& run) {
  Exported result;
  Json rows = Json::array();
  UniqueNames names(run);
  std::map<std::string, std::pair<std::size_t, std::size_t>> times;  // name -> first row, rows
  for (const ImportedRow& row : run.rows) {
    if (row.unit != "ms") continue;
    if (const auto why = no_value(row); !why.empty()) {
      result.left_out.push_back(fmt::format("{} {}: {}", row.name, row.metric, why));
      continue;
    }
    const std::string name = names.of(row);
    times.emplace(row.name, std::pair(rows.size(), row.samples.size()));
    for (std::size_t i = 0; i < row.samples.size(); ++i) rows.push_back(sample_row(row, name, i, result.rows));
    ++result.rows;
  }
  for (const ImportedRow& row : run.rows) {
    if (row.unit == "ms") continue;
    const auto why = no_value(row);
    const auto time = times.find(row.name);
    if (!why.empty() || time == times.end() || time->second.second != row.samples.size() ||
        rows[time->second.first].contains(row.metric)) {
      result.left_out.push_back(fmt::format("{} {}: {}", row.name, row.metric,
                                            why.empty() ? "no time with as many samples to be a counter of" : why));
      continue;
    }
    for (std::size_t i = 0; i < row.samples.size(); ++i) rows[time->second.first + i][row.metric] = row.samples[i];
    ++result.rows;
  }
  result.document = {{"context", context_of(run)}, {"benchmarks", std::move(rows)}};
  return result;
}

}  // namespace gonogo::reports
