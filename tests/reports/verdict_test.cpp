#include "reports/verdict/verdict.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <limits>

#include "harness/core/error.hpp"
#include "reports/verdict/judge_gate.hpp"
#include "tests/catch.hpp"
#include "tests/record/sample_record.hpp"
#include "tests/reports/gate_texts.hpp"

using namespace gonogo;
using core::ExitCode;
using record::Better;
using record::Json;
using record::Metric;
using record::Status;
using reports::Gate;
using reports::Outcome;
using reports::Overall;
using tests::gate;
using tests::term_text;

namespace {

using Metrics = std::map<std::string, Metric>;

Metric number(double value, Better better = Better::none) { return record::measured(value, "1", better); }

// A complete release run of stack `latest` on the cpu with these metrics.
Json run_with(const Metrics& metrics) {
  record::RunRecord run;
  const char* argv[] = {"marlin_bench"};
  run.environment = record::describe_environment(1, argv);
  run.environment["context"]["library_build_type"] = "release";
  run.environment["build"]["git_dirty"] = false;
  run.model = {{"name", "tiny"}, {"weights_hash", "aa"}};
  run.rows.push_back(tests::sample_row("latest/row", {1, 2, 3}));
  run.stacks.push_back({.name = "latest", .levers = {"gemm"}, .metrics = metrics});
  run.complete = true;
  return record::to_json(run);
}

reports::Verdict judged(const Json& run, const std::vector<Gate>& gates) {
  return reports::judge({.record = run, .stack = ""}, gates);
}
Outcome outcome(const Json& run, const Gate& gate) { return judged(run, {gate}).gates.at(0).outcome; }

Gate at_most(const std::string& metric, const std::string& id = "g") {
  return gate(term_text(metric, "<=", "2", R"(, "no_go": 4)"), "", id);
}

}  // namespace

TEST_CASE("a comparison passes, fails or lies between exactly at its bounds", "[verdict]") {
  using reports::compare;
  using reports::Comparison;
  struct Row {
    double value;
    Comparison comparison;
    double go;
    std::optional<double> no_go;
    Outcome wanted;
  };
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const Row rows[] = {
      {2.0, Comparison::at_most, 2, 4.0, Outcome::pass},
      {2.0000001, Comparison::at_most, 2, 4.0, Outcome::between},
      {3.9999999, Comparison::at_most, 2, 4.0, Outcome::between},
      {4.0, Comparison::at_most, 2, 4.0, Outcome::fail},
      {-1e9, Comparison::at_most, 2, 4.0, Outcome::pass},
      {2.0000001, Comparison::at_most, 2, {}, Outcome::fail},
      {0.55, Comparison::at_least, 0.55, 0.40, Outcome::pass},
      {0.5499, Comparison::at_least, 0.55, 0.40, Outcome::between},
      {0.40, Comparison::at_least, 0.55, 0.40, Outcome::between},
      {0.3999, Comparison::at_least, 0.55, 0.40, Outcome::fail},
      {0.5499, Comparison::at_least, 0.55, {}, Outcome::fail},
      {1.0, Comparison::equal, 1, {}, Outcome::pass},
      {0.0, Comparison::equal, 1, {}, Outcome::fail},
      {nan, Comparison::at_most, 2, 4.0, Outcome::invalid},
      {inf, Comparison::at_least, 2, {}, Outcome::invalid},
      {-inf, Comparison::at_most, 2, {}, Outcome::invalid},
      {1.0, Comparison::at_most, nan, {}, Outcome::invalid},
      {1.0, Comparison::at_most, inf, {}, Outcome::invalid},
  };
  for (const Row& row : rows) {
    CAPTURE(row.value, symbol(row.comparison), row.go);
    CHECK(compare(row.value, row.comparison, row.go, row.no_go) == row.wanted);
  }
}

TEST_CASE("the overall verdict and its exit code follow the truth table", "[verdict]") {
  // One letter a gate: P pass, F fail, B between, U unmeasured, I inconclusive, X invalid.
  struct Row {
    std::string gates;
    Overall wanted;
    int code;
  };
  const Row rows[] = {
      {"", Overall::inconclusive, 3},
      {"P", Overall::go, 0},
      {"PPP", Overall::go, 0},
      {"F", Overall::no_go, 1},
      {"PPF", Overall::no_go, 1},
      {"B", Overall::conditional_go, 3},
      {"PPB", Overall::conditional_go, 3},
      {"BB", Overall::inconclusive, 3},
      {"PBB", Overall::inconclusive, 3},
      {"U", Overall::gated_go, 3},
      {"PU", Overall::gated_go, 3},
      {"UB", Overall::gated_go, 3},
      {"UUB", Overall::gated_go, 3},
      {"I", Overall::inconclusive, 3},
      {"PI", Overall::inconclusive, 3},
      {"UI", Overall::inconclusive, 3},
      {"BI", Overall::inconclusive, 3},
      {"X", Overall::inconclusive, 4},
      {"PX", Overall::inconclusive, 4},
      {"UX", Overall::inconclusive, 4},
      {"IX", Overall::inconclusive, 4},
      {"FU", Overall::no_go, 1},
      {"FB", Overall::no_go, 1},
      {"FI", Overall::no_go, 1},
      {"FX", Overall::no_go, 4},
      {"FPUBIX", Overall::no_go, 4},
  };
  const auto run = run_with({{"p", number(1)},
                             {"b", number(3)},
                             {"f", number(9)},
                             {"x", record::absent(Status::failed, "crashed", "1", Better::lower)}});
  for (const Row& row : rows) {
    CAPTURE(row.gates);
    std::vector<Gate> gates;
    for (const char letter : row.gates) {
      const auto id = fmt::format("g{}", gates.size());
      switch (letter) {
        case 'P':
          gates.push_back(at_most("p", id));
          break;
        case 'B':
          gates.push_back(at_most("b", id));
          break;
        case 'F':
          gates.push_back(at_most("f", id));
          break;
        case 'X':
          gates.push_back(at_most("x", id));
          break;
        case 'U':
          gates.push_back(at_most("not.there", id));
          break;
        case 'I':
          gates.push_back(gate(term_text("p", "<=", "2"), R"("min_samples": 100, )", id));
          break;
        default:
          FAIL("letter");
      }
    }
    const auto verdict = judged(run, gates);
    CHECK(verdict.overall == row.wanted);
    CHECK(static_cast<int>(verdict.exit_code) == row.code);
    CHECK_FALSE(verdict.reason.empty());
  }
}

TEST_CASE("missing, null, NaN, failed and mismatched data never pass", "[verdict]") {
  const auto with = [&](const Json& metric) {
    Json run = run_with({});
    run["stacks"]["latest"]["metrics"]["a"] = metric;
    return outcome(run, at_most("a"));
  };
  const Json good{{"value", 1.0}, {"unit", "1"}, {"better", "lower"}, {"status", "ok"}, {"reason", nullptr}};
  const auto changed = [&](const char* key, Json value) {
    Json metric = good;
    metric[key] = std::move(value);
    return metric;
  };
  CHECK(with(good) == Outcome::pass);
  CHECK(outcome(run_with({}), at_most("a")) == Outcome::unmeasured);
  CHECK(with(changed("value", nullptr)) == Outcome::invalid);
  CHECK(with(changed("value", std::numeric_limits<double>::quiet_NaN())) == Outcome::invalid);
  CHECK(with(changed("value", -std::numeric_limits<double>::infinity())) == Outcome::invalid);
  CHECK(with(changed("value", "1")) == Outcome::invalid);
  CHECK(with(changed("value", Json::array())) == Outcome::invalid);
  CHECK(with(changed("value", true)) == Outcome::invalid);
  CHECK(with(changed("unit", "ms")) == Outcome::invalid);
  CHECK(with(changed("unit", nullptr)) == Outcome::invalid);
  CHECK(with(changed("status", "failed")) == Outcome::invalid);
  CHECK(with(changed("status", "invalid")) == Outcome::invalid);
  CHECK(with(changed("status", "skipped")) == Outcome::unmeasured);
  CHECK(with(changed("status", "unmeasured")) == Outcome::unmeasured);
  CHECK(with(changed("status", "")) == Outcome::invalid);
  CHECK(with(changed("status", nullptr)) == Outcome::invalid);
  CHECK(with(Json::object()) == Outcome::invalid);
  CHECK(with(nullptr) == Outcome::invalid);
  CHECK(with(Json(1.0)) == Outcome::invalid);
}

TEST_CASE("a gate that asks against the metric's direction is invalid", "[verdict]") {
  CHECK(outcome(run_with({{"a", number(1, Better::higher)}}), at_most("a")) == Outcome::invalid);
  CHECK(outcome(run_with({{"a", number(9, Better::lower)}}), gate(term_text("a", ">=", "2"))) == Outcome::invalid);
  CHECK(outcome(run_with({{"a", number(9, Better::higher)}}), gate(term_text("a", ">=", "2"))) == Outcome::pass);
  CHECK(outcome(run_with({{"a", number(2, Better::higher)}}), gate(term_text("a", "==", "2"))) == Outcome::pass);
}

TEST_CASE("a gate of several terms passes only when all do, and a failure decides", "[verdict]") {
  const auto both = gate(term_text("a", "==", "1") + "," + term_text("b", "==", "0"));
  CHECK(outcome(run_with({{"a", number(1)}, {"b", number(0)}}), both) == Outcome::pass);
  CHECK(outcome(run_with({{"a", number(1)}, {"b", number(2)}}), both) == Outcome::fail);
  CHECK(outcome(run_with({{"a", number(0)}}), both) == Outcome::fail);
  CHECK(outcome(run_with({{"a", number(1)}}), both) == Outcome::unmeasured);
}

TEST_CASE("a parameter set to each judges every value in the run, and the worst counts", "[verdict]") {
  const auto each = gate(term_text("b/m={m}/past={past}", "<=", "2", R"(, "no_go": 4)"),
                         R"("parameters": {"m": 8, "past": "each"}, )");
  CHECK(outcome(run_with({{"b/m=8/past=0", number(1)}, {"b/m=8/past=512", number(2)}}), each) == Outcome::pass);
  CHECK(outcome(run_with({{"b/m=8/past=0", number(1)}, {"b/m=8/past=512", number(3)}}), each) == Outcome::between);
  CHECK(outcome(run_with({{"b/m=8/past=0", number(1)}, {"b/m=8/past=512", number(4)}}), each) == Outcome::fail);
  CHECK(outcome(run_with({{"b/m=4/past=0", number(1)}, {"b/m=8/op=x", number(1)}}), each) == Outcome::unmeasured);
  CHECK(judged(run_with({{"b/m=8/past=0", number(1)}, {"b/m=8/past=512", number(2)}}), {each}).gates[0].terms.size() ==
        2);
}

TEST_CASE("a parameter may be the smallest or the largest value, as a number", "[verdict]") {
  const Metrics metrics{{"b/past=64", number(9)}, {"b/past=512", number(1)}, {"b/past=4096", number(3)}};
  const auto with = [&](const std::string& setting) {
    return judged(run_with(metrics), {gate(term_text("b/past={past}", "<=", "2"),
                                           fmt::format(R"("parameters": {{"past": "{}"}}, )", setting))})
        .gates[0]
        .terms[0]
        .metric;
  };
  CHECK(with("smallest") == "b/past=64");
  CHECK(with("largest") == "b/past=4096");
  CHECK(with("512") == "b/past=512");
}

TEST_CASE("a bound may be another metric of the run", "[verdict]") {
  const auto within = gate(term_text("invalidations", "<=", R"({"metric": "growths", "plus": 1})"));
  CHECK(outcome(run_with({{"invalidations", number(3)}, {"growths", number(2)}}), within) == Outcome::pass);
  CHECK(outcome(run_with({{"invalidations", number(4)}, {"growths", number(2)}}), within) == Outcome::fail);
  CHECK(outcome(run_with({{"invalidations", number(0)}}), within) == Outcome::unmeasured);
  CHECK(outcome(run_with({{"invalidations", number(0)},
                          {"growths", record::absent(Status::failed, "x", "1", Better::none)}}),
                within) == Outcome::invalid);
}

TEST_CASE("a bound from a baseline needs that record, of the same device and model", "[verdict]") {
  const auto faster = gate(term_text("tok", ">=", R"({"metric": "tok", "baseline": "seed", "times": 1.5})"));
  const Json run = run_with({{"tok", number(300, Better::higher)}});
  Json base = run_with({{"tok", number(200, Better::higher)}});
  const auto against = [&](const Json& baseline) {
    return reports::judge({.record = run, .stack = "", .baselines = {{"seed", &baseline}}}, std::vector<Gate>{faster})
        .gates[0]
        .outcome;
  };
  CHECK(outcome(run, faster) == Outcome::unmeasured);
  CHECK(against(base) == Outcome::pass);
  CHECK(against(run_with({{"tok", number(201, Better::higher)}})) == Outcome::fail);
  CHECK(against(run_with({})) == Outcome::unmeasured);
  base["devices"][0]["name"] = "another";
  CHECK(against(base) == Outcome::invalid);
  base = run_with({{"tok", number(200, Better::higher)}});
  base["model"]["weights_hash"] = "bb";
  CHECK(against(base) == Outcome::invalid);
}

TEST_CASE("a run that is not what the gate requires leaves it unmeasured", "[verdict]") {
  const Json run = run_with({{"p", number(1)}});
  const auto requiring = [&](const std::string& what) {
    return outcome(run, gate(term_text("p", "<=", "2"), fmt::format("\"requires\": {{{}}}, ", what)));
  };
  CHECK(requiring(R"("device": "cpu")") == Outcome::pass);
  CHECK(requiring(R"("device": "cuda")") == Outcome::unmeasured);
  CHECK(requiring(R"("model": ["glm", "tiny"])") == Outcome::pass);
  CHECK(requiring(R"("model": "glm")") == Outcome::unmeasured);
  CHECK(requiring(R"("levers": ["gemm"])") == Outcome::pass);
  CHECK(requiring(R"("levers": ["gemm", "fusion"])") == Outcome::unmeasured);
}

TEST_CASE("a timing counts only when the same run proved its output right", "[verdict]") {
  const auto timed = gate(term_text("b", "<=", "2"),
                          R"("proof": [{"metric": "parity.nan", "unit": "1", "comparison": "==", "go": 0}], )");
  CHECK(outcome(run_with({{"b", number(1)}, {"parity.nan", number(0)}}), timed) == Outcome::pass);
  CHECK(outcome(run_with({{"b", number(9)}, {"parity.nan", number(0)}}), timed) == Outcome::fail);
  CHECK(outcome(run_with({{"b", number(1)}, {"parity.nan", number(3)}}), timed) == Outcome::invalid);
  CHECK(outcome(run_with({{"b", number(9)}, {"parity.nan", number(3)}}), timed) == Outcome::invalid);
  CHECK(outcome(run_with({{"b", number(1)}}), timed) == Outcome::inconclusive);
  CHECK(outcome(run_with({{"parity.nan", number(0)}}), timed) == Outcome::unmeasured);
  CHECK(outcome(run_with({}), timed) == Outcome::unmeasured);
  CHECK(judged(run_with({{"b", number(1)}, {"parity.nan", number(3)}}), {timed}).exit_code == ExitCode::failed_rows);
}

TEST_CASE("timings of a debug build are invalid, facts are not", "[verdict]") {
  Json run = run_with({{"p", number(1)}});
  run["context"]["library_build_type"] = "debug";
  const auto timed = gate(term_text("p", "<=", "2"), R"("timing": true, )");
  CHECK(outcome(run, timed) == Outcome::invalid);
  CHECK(judged(run, {timed}).exit_code == ExitCode::invalid_environment);
  CHECK(outcome(run, at_most("p")) == Outcome::pass);
}

TEST_CASE("too few samples are inconclusive and say how many are asked", "[verdict]") {
  const auto few = gate(term_text("verify.gpu_ms/m=8/past=512", "<=", "2"), R"("min_samples": 3, )");
  const auto many = gate(term_text("verify.gpu_ms/m=8/past=512", "<=", "2"), R"("min_samples": 4, )");
  const Json run = run_with({{"verify.gpu_ms/m=8/past=512", number(2)}});  // its row has three samples
  CHECK(outcome(run, few) == Outcome::pass);
  const auto verdict = judged(run, {many});
  CHECK(verdict.gates[0].outcome == Outcome::inconclusive);
  CHECK(verdict.gates[0].reason == "verify.gpu_ms/m=8/past=512 rests on 3 samples, the gate asks for 4");
}

TEST_CASE("a run with failed rows or an end before its end is no GO", "[verdict]") {
  Json run = run_with({{"p", number(1)}});
  CHECK(judged(run, {at_most("p")}).overall == Overall::go);
  run["status"] = "partial";
  run["partial_reason"] = "interrupted";
  CHECK(judged(run, {at_most("p")}).overall == Overall::inconclusive);
  CHECK(judged(run, {at_most("p")}).exit_code == ExitCode::inconclusive);
  run = run_with({{"p", number(1)}, {"f", number(9)}});
  run["benchmarks"].push_back({{"name", "latest/prefill"},
                               {"aggregate_name", "status"},
                               {"gonogo", {{"status", "failed"}, {"stack", "latest"}, {"reason", "NaN"}}}});
  auto verdict = judged(run, {at_most("p")});
  CHECK(verdict.overall == Overall::inconclusive);
  CHECK(verdict.exit_code == ExitCode::failed_rows);
  CHECK(verdict.reason.find("latest/prefill (failed: NaN)") != std::string::npos);
  CHECK(judged(run, {at_most("f")}).overall == Overall::no_go);
  run["benchmarks"].back()["gonogo"]["stack"] = "before";  // another stack's failure is not this one's
  CHECK(judged(run, {at_most("p")}).overall == Overall::go);
}

TEST_CASE("the stack judged is latest, the only one, or the one named", "[verdict]") {
  Json run = run_with({{"p", number(1)}});
  run["stacks"]["before"] = {{"levers", Json::array()}, {"metrics", Json::object()}};
  const std::vector<Gate> gates{at_most("p")};
  CHECK(judged(run, gates).stack == "latest");
  CHECK(reports::judge({.record = run, .stack = "before"}, gates).gates[0].outcome == Outcome::unmeasured);
  CHECK_THROWS_AS(reports::judge({.record = run, .stack = "marlin"}, gates), core::UsageError);
  run["stacks"].erase("latest");
  CHECK(judged(run, gates).stack == "before");
  run["stacks"]["marlin"] = run["stacks"]["before"];
  CHECK_THROWS_AS(judged(run, gates), core::UsageError);
  run["stacks"] = Json::object();
  CHECK_THROWS_AS(judged(run, gates), core::UsageError);
}

TEST_CASE("an open verdict names the cheapest experiment that settles it", "[verdict]") {
  auto costly = at_most("not.there", "costly"), cheap = at_most("nor.this", "cheap");
  costly.experiment.minutes = 30;
  CHECK(judged(run_with({}), {costly, cheap}).experiment == "run cheap");
  CHECK(judged(run_with({{"b", number(3)}}), {at_most("b")}).experiment == "run g");
  CHECK(judged(run_with({{"b", number(1)}}), {at_most("b")}).experiment.empty());
}

TEST_CASE("a dirty or unknown tree is noted", "[verdict]") {
  Json run = run_with({{"p", number(1)}});
  CHECK(judged(run, {at_most("p")}).notes.empty());
  run["build"]["git_dirty"] = true;
  CHECK(judged(run, {at_most("p")}).notes == std::vector<std::string>{"built from a dirty tree: not fit as evidence"});
  run["build"]["git_dirty"] = nullptr;
  CHECK(judged(run, {at_most("p")}).notes.size() == 1);
}

TEST_CASE("a reason shows few digits, but a value that misses its bound never reads as equal to it", "[verdict]") {
  const auto reason = [](double value, const Gate& gate) {
    return judged(run_with({{"b", number(value)}}), {gate}).gates.at(0).reason;
  };
  CHECK(reason(2.2672203627949257, at_most("b")) == "b = 2.267 lies between go 2 and no-go 4");
  CHECK(reason(2.00001, at_most("b")) == "b = 2.00001 lies between go 2 and no-go 4");
  CHECK(reason(1.23456789, at_most("b")) == "b = 1.235 <= 2");
  CHECK(reason(4, at_most("b")) == "b = 4 reaches no-go 4");
  CHECK(reason(4.1234567, at_most("b")) == "b = 4.123 reaches no-go 4");
  const Gate at_least = gate(term_text("b", ">=", "0.95", ""));
  CHECK(reason(0.9499999, at_least) == "b = 0.9499999 is not >= 0.95");
  CHECK(reason(0.3, gate(term_text("b", ">=", "0.95", R"(, "no_go": 0.4)"))) == "b = 0.3 lies below no-go 0.4");
  const auto text = to_text(judged(run_with({{"b", number(0.9499999)}}), {at_least}), true);
  CHECK(text.find("0.9499999  >= 0.95") != std::string::npos);
}

TEST_CASE("a verdict as text starts with the verdict, as data holds every comparison", "[verdict]") {
  const auto verdict = judged(run_with({{"b", number(3)}}), {at_most("b")});
  const auto text = to_text(verdict, true);
  CHECK(
      text.rfind(
          "CONDITIONAL-GO (stack latest): all pass but g (b = 3 lies between go 2 and no-go 4)\nTo settle it: run g\n",
          0) == 0);
  const Json data = to_json(verdict);
  CHECK(data["verdict"] == "CONDITIONAL-GO");
  CHECK(data["exit_code"] == 3);
  CHECK(data["gates"][0]["terms"][0]["value"] == 3.0);
  CHECK(data["gates"][0]["terms"][0]["no_go"] == 4.0);
  CHECK(data["gates"][0]["hash"] == verdict.gates[0].gate.hash);
}
