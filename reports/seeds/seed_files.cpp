#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include "harness/record/embedded.hpp"
#include "harness/record/strict_json.hpp"
#include "reports/seeds/seeds.hpp"

namespace gonogo::reports {

std::span<const record::EmbeddedFile> embedded_seed_gates();  // generated

namespace {

// One mean a side is all that was published: one repetition a row.
Json google_json(const SeedRegressionTable& table, double SeedRegression::*side) {
  Json rows = Json::array();
  for (const SeedRegression& row : table.rows)
    rows.push_back({{"name", row.scenario},
                    {"run_name", row.scenario},
                    {"run_type", "iteration"},
                    {"repetitions", 1},
                    {"repetition_index", 0},
                    {"threads", 1},
                    {"iterations", 1},
                    {"real_time", row.*side},
                    {"cpu_time", row.*side},
                    {"time_unit", "ns"}});
  return {{"context",
           {{"date", "2026-08-14T00:00:00+00:00"},
            {"host_name", "unknown"},
            {"executable", table.statistic},
            {"num_cpus", 1},
            {"mhz_per_cpu", 0},
            {"cpu_scaling_enabled", false},
            {"caches", Json::array()},
            {"load_avg", Json::array()},
            {"library_version", "unknown"},
            {"library_build_type", "release"},
            {"json_schema_version", 1},
            {"source", table.source}}},
          {"benchmarks", std::move(rows)}};
}

}  // namespace

std::map<std::string, std::string> seed_files() {
  const Seeds data = seeds();
  std::map<std::string, std::string> files;
  for (const SeedConfiguration& configuration : data.configurations)
    files[configuration.id + ".json"] = record::dump_strict(seed_record(data, configuration));
  for (const auto& gate : embedded_seed_gates()) files[fmt::format("gates/{}", gate.name)] = std::string(gate.text);
  for (const SeedRegressionTable& table : data.regressions) {
    files[table.id + ".base.json"] = record::dump_strict(google_json(table, &SeedRegression::base_ns));
    files[table.id + ".head.json"] = record::dump_strict(google_json(table, &SeedRegression::head_ns));
  }
  return files;
}

}  // namespace gonogo::reports
