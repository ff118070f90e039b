#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/stats/summary.hpp"
#include "reports/export/names.hpp"
#include "reports/render/numbers.hpp"

namespace gonogo::reports {

Exported export_action(const ImportedRun& run, record::Better better) {
  GONOGO_EXPECT(better != record::Better::none, std::string("a direction"));
  Exported result{.document = Json::array(), .rows = 0, .left_out = {}};
  UniqueNames names(run);
  for (const ImportedRow& row : run.rows) {
    const std::string name = names.of(row);
    if (row.better != better) continue;
    if (const auto why = no_value(row); !why.empty()) {
      result.left_out.push_back(fmt::format("{} {}: {}", row.name, row.metric, why));
      continue;
    }
    const auto summary = stats::summarize(row.samples);
    Json entry{{"name", name}, {"unit", row.unit}, {"value", *summary.median}};
    if (summary.stddev) entry["range"] = fmt::format("\xC2\xB1 {}", significant(*summary.stddev));
    entry["extra"] =
        fmt::format("n: {}\nmin: {}\nmax: {}", summary.n, significant(*summary.min, 6), significant(*summary.max, 6));
    result.document.push_back(std::move(entry));
    ++result.rows;
  }
  return result;
}

}  // namespace gonogo::reports
