// The seeds' own figures through this project's rules: an executable test of the rules and of the data.
#include "reports/seeds/seeds.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/error.hpp"
#include "harness/record/strict_json.hpp"
#include "reports/verdict/verdict.hpp"
#include "tests/catch.hpp"
#include "harness/record/run_record.hpp"

using namespace gonogo;
using reports::Gate;
using reports::Json;

namespace {

const reports::SeedConfiguration& configuration(const reports::Seeds& seeds, const std::string& id) {
  const auto found = std::find_if(seeds.configurations.begin(), seeds.configurations.end(),
                                  [&](const auto& one) { return one.id == id; });
  REQUIRE(found != seeds.configurations.end());
  return *found;
}

std::vector<Gate> named(const std::vector<Gate>& all, const std::map<std::string, std::string>& wanted) {
  std::vector<Gate> chosen;
  for (const Gate& gate : all)
    if (wanted.contains(gate.id)) chosen.push_back(gate);
  REQUIRE(chosen.size() == wanted.size());
  return chosen;
}

}  // namespace

TEST_CASE("every published verdict of the seeds follows from their figures by the rules", "[seeds]") {
  const auto seeds = reports::seeds();
  REQUIRE(seeds.verdicts.size() == 12);
  for (const auto& published : seeds.verdicts) {
    CAPTURE(published.id, published.published);
    const Json record = reports::seed_record(seeds, configuration(seeds, published.configuration));
    const auto verdict = reports::judge({.record = record, .stack = ""}, named(reports::seed_gates(), published.gates));
    CHECK(name_of(verdict.overall) == published.by_the_rules);
    for (const auto& gate : verdict.gates) {
      CAPTURE(gate.gate.id, gate.reason);
      CHECK(name_of(gate.outcome) == published.gates.at(gate.gate.id));
    }
    // Theirs and ours are the same word, or the data says why not.
    CHECK((published.published.starts_with(published.by_the_rules) || !published.note.empty() ||
           published.published.starts_with("between")));
  }
}

TEST_CASE("the shipped gate on B* fails at 8.76, 4.99 and 5.09 and lies between at 2.71, 2.63 and 2.16", "[seeds]") {
  const auto seeds = reports::seeds();
  const auto gates = named(reports::shipped_gates(), {{"fund-verify", ""}});
  std::map<double, std::string> outcomes;
  for (const auto& one : seeds.configurations) {
    if (!one.id.starts_with("arc-")) continue;
    const Json record = reports::seed_record(seeds, one);
    const auto verdict = reports::judge({.record = record, .stack = ""}, gates);
    CAPTURE(one.id, verdict.gates[0].reason);
    outcomes[one.metrics.at("bstar.verify/m=8/past=unstated")] = name_of(verdict.gates[0].outcome);
    CHECK(verdict.exit_code ==
          (verdict.overall == reports::Overall::no_go ? core::ExitCode::no_go : core::ExitCode::inconclusive));
  }
  CHECK(outcomes ==
        std::map<double, std::string>{
            {8.76, "FAIL"}, {4.99, "FAIL"}, {5.09, "FAIL"}, {2.71, "BETWEEN"}, {2.63, "BETWEEN"}, {2.16, "BETWEEN"}});
}

TEST_CASE("an open verdict of the seeds names the experiment that settles it", "[seeds]") {
  const auto seeds = reports::seeds();
  const Json record = reports::seed_record(seeds, configuration(seeds, "phase-0"));
  const auto verdict = reports::judge({.record = record, .stack = ""},
                                      named(reports::seed_gates(), {{"seed-replay", ""}, {"seed-fund", ""}}));
  CHECK(verdict.overall == reports::Overall::gated_go);
  CHECK(verdict.experiment == "capture the verify forward and replay it 200 times at widths 8 and 1");
}

TEST_CASE("the records of the seeds are valid, say whence they are and where they disagree with themselves",
          "[seeds]") {
  const auto seeds = reports::seeds();
  std::vector<std::string> disagreeing;
  REQUIRE(seeds.configurations.size() == 16);
  for (const auto& one : seeds.configurations) {
    CAPTURE(one.id);
    const Json record = record::parse_record(record::dump_strict(reports::seed_record(seeds, one)), one.id);
    CHECK(record["warnings"][0].get<std::string>().starts_with("imported, not measured by this program: onnx-genai"));
    for (const auto& warning : record["warnings"])
      if (warning.get<std::string>().starts_with("the published B*")) disagreeing.push_back(one.id);
    int seams = 0;
    for (const auto& [op, count] : one.seams) seams += count;
    if (one.metrics.contains("capture.seams/m=8")) CHECK(one.metrics.at("capture.seams/m=8") == seams);
  }
  CHECK(disagreeing == std::vector<std::string>{"arc-0-before", "qwen-3-gate-up"});
}

TEST_CASE("both regression tables are whole, and their printed change is that of their means", "[seeds]") {
  const auto seeds = reports::seeds();
  REQUIRE(seeds.regressions.size() == 2);
  for (const auto& table : seeds.regressions) {
    CAPTURE(table.id);
    CHECK(table.rows.size() == 59);
    for (const auto& row : table.rows) {
      CAPTURE(row.scenario);
      // A mean of three printed digits is off by up to 0.5 %, the change itself by up to 0.05.
      const double ratio = row.head_ns / row.base_ns;
      CHECK(std::fabs((ratio - 1) * 100 - row.printed_change_percent) < 100 * ratio * (0.005 + 0.005) + 0.05);
    }
  }
  const auto files = reports::seed_files();
  for (const char* name : {"pr-948.base.json", "pr-948.head.json", "pr-962.base.json", "pr-962.head.json"}) {
    CAPTURE(name);
    REQUIRE(files.contains(name));
    CHECK(record::parse_strict(files.at(name), name)["benchmarks"].size() == 59);
  }
}
