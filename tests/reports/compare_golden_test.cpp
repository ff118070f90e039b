// The golden table: pairs of runs with the exact verdict, exit code, findings and reasons that follow from them.
#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <map>

#include "harness/record/strict_json.hpp"
#include "reports/compare/comparison.hpp"
#include "tests/catch.hpp"
#include "tests/folders.hpp"
#include "tests/reports/google_text.hpp"

using namespace gonogo;
using tests::Json;

namespace {

const std::string kTable = (tests::source_folder() / "tests/reports/golden/compare.json").string();

std::vector<reports::ImportedRun> runs_of(const Json& one, const char* side) {
  std::vector<reports::ImportedRun> runs;
  const std::string context_key = fmt::format("{}_context", side);
  for (const Json& rows : one[side])
    runs.push_back(reports::parse_run(
        tests::google_text(rows, one.contains(context_key) ? one[context_key] : Json::object()), "run.json"));
  return runs;
}

reports::ComparePolicy policy_of(const Json& one) {
  reports::ComparePolicy policy;
  if (!one.contains("policy")) return policy;
  policy.gate = one["policy"].value("gate", false);
  policy.paired = one["policy"].value("paired", false);
  if (one["policy"].contains("allowed"))
    for (const Json& key : one["policy"]["allowed"]) policy.allowed.insert(key.get<std::string>());
  return policy;
}

}  // namespace

TEST_CASE("every pair of the golden table has its exact verdict, exit code, findings and reasons", "[compare]") {
  const Json table = record::parse_strict(record::read_text(kTable), kTable);
  REQUIRE(table.size() >= 40);
  for (const Json& one : table) {
    const std::string id = one["id"], what = one["what"];
    CAPTURE(id, what);
    const auto comparison = reports::compare(runs_of(one, "base"), runs_of(one, "candidate"), policy_of(one));
    CHECK(comparison.verdict == one["verdict"].get<std::string>());
    CHECK(static_cast<int>(comparison.exit_code) == one["exit"].get<int>());
    std::map<std::string, std::pair<std::string, std::string>> wanted, got;
    std::size_t unchanged = 0;
    for (const auto& [name, finding] : one["rows"].items()) wanted[name] = {finding[0], finding[1]};
    for (const auto& row : comparison.rows) {
      const std::string name = row.metric == "real_time" ? row.name : fmt::format("{} {}", row.name, row.metric);
      if (row.finding == reports::Finding::unchanged)
        ++unchanged;
      else
        got[name] = {std::string(name_of(row.finding)), row.reason};
    }
    CHECK(got == wanted);
    CHECK(unchanged == one["unchanged"].get<std::size_t>());
    Json refused = Json::array();
    for (const auto& difference : comparison.differences)
      if (difference.refused) refused.push_back(difference.key);
    CHECK(refused == one["differences"]);
  }
}
