#include <cmath>

#include "harness/core/error.hpp"
#include "harness/record/strict_json.hpp"
#include "reports/selftest/selftest.hpp"
#include "tests/catch.hpp"
#include "tests/cli_e2e/program.hpp"

using namespace gonogo;
using namespace gonogo::reports;

namespace {

SelfTestPlan plan_of(std::size_t sessions) {
  SelfTestPlan plan;
  plan.sessions = sessions;
  plan.effects = {0.05};
  return plan;
}

const Scenario kOrdinary{.name = "ordinary", .within = 0.005, .between = 0.005};

std::size_t alarms(const ScenarioResult& row) { return row.counts[0].slower + row.counts[0].faster; }

// An A/A session of a metric with this spread between processes.
JournalContent recorded(double between) {
  JournalContent content;
  content.plan.a = content.plan.b = "x";
  content.plan.blocks = 30;
  std::mt19937_64 random(83);
  const Scenario scenario{.name = "", .within = 0.002, .between = between};
  for (const Visit& visit : visits_of(content.plan)) {
    Run run{.visit = visit, .started = "t", .readings = {}};
    run.readings.metrics["k"] = {
        .value = run_process(scenario, {}, 0, 1, random)[0], .unit = "us", .better = record::Better::lower};
    content.runs.push_back(run);
  }
  return content;
}

}  // namespace

TEST_CASE("the policy keeps its targets, with drift and with heavy tails", "[selftest]") {
  const auto result = self_test(plan_of(300), shipped_scenarios());
  CHECK(result.passed);
  REQUIRE(result.scenarios.size() == 6);
  for (const auto& row : result.scenarios) {
    CAPTURE(row.scenario);
    CHECK(row.holds);
    CHECK(row.counts[0].sessions == 300);
    CHECK(alarms(row) <= 15);
    CHECK(row.counts[1].slower >= 270);
  }
}

TEST_CASE("a policy that alarms too often fails its self-test", "[selftest]") {
  auto plan = plan_of(200);
  plan.rule.practical = 0;
  plan.rule.alpha = 0.5;
  const auto result = self_test(plan, {kOrdinary});
  CHECK_FALSE(result.passed);
  CHECK(alarms(result.scenarios[0]) > 60);
  CHECK(*result.scenarios[0].detection_at_least > 0.95);
}

TEST_CASE("a policy that finds too little fails its self-test", "[selftest]") {
  auto plan = plan_of(200);
  plan.rule.practical = 0.045;
  const auto result = self_test(plan, {{.name = "noisy", .within = 0.01, .between = 0.02}});
  CHECK_FALSE(result.passed);
  CHECK(result.scenarios[0].false_alarms_at_most < 0.05);
  CHECK(*result.scenarios[0].detection_at_least < 0.8);
}

TEST_CASE("without a practical size the alarms come near the stated 5 % and the direction is right", "[selftest]") {
  auto plan = plan_of(1000);
  plan.rule.practical = 0;
  const auto row = self_test(plan, {kOrdinary}).scenarios[0];
  CHECK(alarms(row) > 25);
  CHECK(alarms(row) < 71);  // three standard errors above 50
  CHECK(row.counts[1].faster == 0);
}

TEST_CASE("among many metrics the chance of any false alarm stays", "[selftest]") {
  auto plan = plan_of(200);
  plan.rule.practical = 0;
  plan.rows = 20;
  const auto row = self_test(plan, {kOrdinary}).scenarios[0];
  CHECK(alarms(row) < 20);  // three standard errors above 10
  CHECK(row.counts[1].slower > 190);
}

TEST_CASE("what a session says it finds it finds about four times in five", "[selftest]") {
  // The promise of decide(): detectable comes from the spread that is seen; here the true spread is known.
  const std::size_t blocks = 12;
  const double between = 0.01, spread = std::sqrt(2.0) * between;
  PairPlan pair;
  pair.blocks = blocks;
  std::mt19937_64 random(89);
  std::vector<double> promised;
  const auto session = [&](double effect) {
    pair.seed = random();
    const auto orders = orders_of(pair);
    PairedMetric metric{.name = "k"};
    const Scenario scenario{.name = "", .within = 0, .between = between};
    for (const Slot& slot : interleaved(orders))
      (slot.candidate ? metric.b : metric.a).push_back(run_process(scenario, slot, effect, 1, random)[0]);
    const auto row = decide(std::span(&metric, 1), orders, {}).front();
    promised.push_back(*row.detectable);
    return row.call == Call::regression;
  };
  const double effect = std::expm1(std::log(1.01) + (2.228 + 0.879) * spread / std::sqrt(12.0));
  int found = 0;
  for (int i = 0; i < 500; ++i) found += session(effect) ? 1 : 0;
  CHECK(found > 365);  // 73 %
  CHECK(found < 445);  // 89 %
  double mean = 0;
  for (const double size : promised) mean += size / static_cast<double>(promised.size());
  CHECK(mean == Approx(effect).epsilon(0.1));
}

TEST_CASE("a plan that can never fire is refused, and a target that is not injected", "[selftest]") {
  auto plan = plan_of(50);
  plan.budget.processes = 5;
  CHECK_THROWS_AS(self_test(plan, {kOrdinary}), core::UsageError);
  plan.budget.processes = 8;
  plan.rows = 50;
  CHECK_THROWS_AS(self_test(plan, {kOrdinary}), core::UsageError);
  plan = plan_of(50);
  plan.target_effect = 0.03;
  CHECK_THROWS_AS(self_test(plan, {kOrdinary}), core::UsageError);
}

TEST_CASE("the same seed counts the same, and a scenario counts the same alone as beside others", "[selftest]") {
  auto plan = plan_of(100);
  plan.rule.practical = 0;
  const auto both = self_test(plan, {kOrdinary, shipped_scenarios()[5]});
  const auto alone = self_test(plan, {shipped_scenarios()[5]});
  CHECK(alarms(both.scenarios[1]) == alarms(alone.scenarios[0]));
  CHECK(both.scenarios[1].counts[1].slower == alone.scenarios[0].counts[1].slower);
}

TEST_CASE("recorded noise is taken as it is: a calm metric passes, a wild one fails", "[selftest]") {
  const auto calm = self_test_recorded(plan_of(200), recorded(0.005));
  CHECK(calm.passed);
  CHECK(calm.scenarios.front().scenario == "recorded k");
  CHECK_FALSE(self_test_recorded(plan_of(200), recorded(0.08)).passed);
  JournalContent unfinished = recorded(0.005);
  unfinished.runs.resize(20);
  CHECK_THROWS_AS(self_test_recorded(plan_of(50), unfinished), core::UsageError);
}

TEST_CASE("on the same truth the rules of one process an arm alarm far above 5 %, ours does not", "[selftest]") {
  const auto result = compare_rules(plan_of(100), {kOrdinary});
  REQUIRE(result.scenarios.size() == 7);
  CHECK(result.passed);
  for (const auto& row : result.scenarios) {
    CAPTURE(row.rule, alarms(row));
    if (row.rule == "gonogo" || row.rule == "5 % threshold") CHECK(alarms(row) == 0);
    if (row.rule == "gonogo, any size" || row.rule == "benchstat, fresh processes") CHECK(alarms(row) < 12);
    if (row.rule == "benchstat" || row.rule == "Google Benchmark compare.py") CHECK(alarms(row) > 70);
    if (row.rule == "nvbench, legacy") CHECK(alarms(row) > 30);
  }
}

TEST_CASE("gonogo selftest tells by its exit code whether the policy keeps its targets", "[selftest]") {
  const auto run = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "selftest");
    return tests::run_program("gonogo", arguments);
  };
  const tests::Folder folder;
  const auto passed = run({"--quick", "--json", folder.file("s.json")});
  CHECK(passed.code == 0);
  CHECK(passed.out.rfind("PASSED", 0) == 0);
  const auto json = record::parse_strict(tests::text_of(folder.file("s.json")), "s.json");
  CHECK(json["passed"] == true);
  CHECK(json["results"].size() == 6);
  const auto failed = run({"--quick", "--practical", "4.9"});
  CHECK(failed.code == 4);
  CHECK(failed.out.rfind("FAILED", 0) == 0);
  CHECK(failed.out.find("FAILS") != std::string::npos);
  const auto never = run({"--quick", "--blocks", "8", "--rows", "50"});
  CHECK(never.code == 2);
  CHECK(never.err.find("wanted at least 11 blocks") != std::string::npos);
  CHECK(run({"--quick", "--sessions", "100"}).code == 2);
  CHECK(run({"--peers", "--rows", "2"}).code == 2);
}
