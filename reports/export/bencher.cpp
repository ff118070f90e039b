#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>

#include "harness/stats/summary.hpp"
#include "reports/export/names.hpp"

namespace gonogo::reports {
namespace {

std::string measure_of(const ImportedRow& row) {
  if (row.unit == "ms") return "latency";
  return row.better == record::Better::higher && row.unit.find("/s") != std::string::npos ? "throughput" : row.metric;
}

}  // namespace

Exported export_bencher(const ImportedRun& run) {
  Exported result{.document = Json::object(), .rows = 0, .left_out = {}};
  UniqueNames names(run);
  for (const ImportedRow& row : run.rows) {
    if (const auto why = no_value(row); !why.empty()) {
      result.left_out.push_back(fmt::format("{} {}: {}", row.name, row.metric, why));
      continue;
    }
    const double scale = row.unit == "ms" ? 1e6 : 1;
    const auto [low, high] = std::minmax_element(row.samples.begin(), row.samples.end());
    Json measure{{"value", *stats::median(row.samples) * scale}};
    if (row.samples.size() > 1) measure.update({{"lower_value", *low * scale}, {"upper_value", *high * scale}});
    result.document[names.of(row)] = {{measure_of(row), std::move(measure)}};
    ++result.rows;
  }
  return result;
}

}  // namespace gonogo::reports
