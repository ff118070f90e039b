// A comparison for programs: CSV (RFC 4180) and JSON, every row and every number.
#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include "reports/compare/comparison.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::reports {
namespace {

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted(1, '"');
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const auto& cell : cells) line += fmt::format("{}{}", &cell == cells.data() ? "" : ",", csv_cell(cell));
  return line + "\r\n";
}

std::string number(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; }
Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json row_json(const ComparedRow& row) {
  return {{"name", row.name},
          {"metric", row.metric},
          {"unit", row.unit},
          {"better", name_of(row.better)},
          {"device", row.device},
          {"model", row.model},
          {"levers", row.levers},
          {"finding", name_of(row.finding)},
          {"reason", row.reason},
          {"base", or_null(row.base)},
          {"candidate", or_null(row.cand)},
          {"base_n", row.base_n},
          {"candidate_n", row.cand_n},
          {"change", or_null(row.change)},
          {"interval", row.interval ? Json::array({row.interval->low, row.interval->high}) : Json(nullptr)},
          {"limit", or_null(row.limit)},
          {"limit_from", row.limit_from},
          {"p", or_null(row.p)},
          {"p_adjusted", or_null(row.p_adjusted)},
          {"detectable", or_null(row.detectable)},
          {"needed", row.needed ? Json(*row.needed) : Json(nullptr)}};
}

Json side_json(const SideInfo& side) {
  Json files = Json::array();
  for (const std::string& file : side.files) files.push_back(record::path_free(file));
  return {{"files", std::move(files)}, {"format", name_of(side.format)}, {"runs", side.runs},
          {"rows", side.rows},         {"failed", side.failed},          {"skipped", side.skipped}};
}

Json policy_json(const ComparePolicy& policy) {
  return {{"alpha", policy.alpha},
          {"correction", policy.gate ? "holm" : "benjamini-hochberg"},
          {"test", policy.paired ? "sign-flip" : "rank-sum"},
          {"practical", policy.practical},
          {"floor_times", policy.floor_times},
          {"process_floor", policy.process_floor},
          {"timer_floor_ns", policy.timer_floor_ns},
          {"power", policy.power},
          {"gate", policy.gate},
          {"paired", policy.paired},
          {"measured_floors", policy.noise.size()},
          {"allowed", policy.allowed},
          {"metrics", policy.metrics}};
}

}  // namespace

std::string to_csv(const RunComparison& comparison) {
  std::string text =
      csv_line({"name",       "metric",    "unit",       "better",      "device", "model", "levers", "finding",
                "base",       "candidate", "base_n",     "candidate_n", "change", "low",   "high",   "limit",
                "limit_from", "p",         "p_adjusted", "detectable",  "needed", "reason"});
  for (const ComparedRow& row : comparison.rows)
    text += csv_line({row.name,
                      row.metric,
                      row.unit,
                      std::string(name_of(row.better)),
                      row.device,
                      row.model,
                      row.levers,
                      std::string(name_of(row.finding)),
                      number(row.base),
                      number(row.cand),
                      fmt::format("{}", row.base_n),
                      fmt::format("{}", row.cand_n),
                      number(row.change),
                      row.interval ? number(row.interval->low) : "",
                      row.interval ? number(row.interval->high) : "",
                      number(row.limit),
                      row.limit_from,
                      number(row.p),
                      number(row.p_adjusted),
                      number(row.detectable),
                      row.needed ? fmt::format("{}", *row.needed) : "",
                      row.reason});
  return text;
}

Json to_json(const RunComparison& comparison) {
  Json counts = Json::object(), differences = Json::array(), rows = Json::array(), renames = Json::array();
  for (const auto& [finding, count] : comparison.counts) counts[std::string(name_of(finding))] = count;
  for (const Difference& difference : comparison.differences)
    differences.push_back({{"key", difference.key},
                           {"base", difference.base.empty() ? Json(nullptr) : Json(difference.base)},
                           {"candidate", difference.cand.empty() ? Json(nullptr) : Json(difference.cand)},
                           {"refused", difference.refused},
                           {"allowed", difference.allowed}});
  for (const Rename& rename : comparison.renames) renames.push_back({{"from", rename.from}, {"to", rename.to}});
  for (const ComparedRow& row : comparison.rows) rows.push_back(row_json(row));
  const Reachable& reach = comparison.reach;
  return {{"schema", "gonogo/comparison"},
          {"schema_version", 1},
          {"verdict", comparison.verdict},
          {"exit_code", static_cast<int>(comparison.exit_code)},
          {"summary", summary_line(comparison)},
          {"comparable", comparison.comparable},
          {"base", side_json(comparison.base)},
          {"candidate", side_json(comparison.cand)},
          {"policy", policy_json(comparison.policy)},
          {"plan",
           {{"tested", reach.tested},
            {"fewest", reach.fewest},
            {"level", reach.level},
            {"smallest_p", reach.smallest_p},
            {"needed", reach.needed},
            {"never", reach.never}}},
          {"counts", std::move(counts)},
          {"differences", std::move(differences)},
          {"renames", std::move(renames)},
          {"notes", comparison.notes},
          {"blind_spots", comparison.blind_spots},
          {"rows", std::move(rows)}};
}

}  // namespace gonogo::reports
