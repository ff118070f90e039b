// Are the shipped gates held in place? Each comparison flipped, each bound moved and each metric dropped must change
// the outcome of at least one run of a small set around the bounds.
#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <string>

#include "reports/verdict/verdict.hpp"
#include "tests/catch.hpp"
#include "tests/record/sample_record.hpp"

using namespace gonogo;
using record::Better;
using record::Json;
using reports::Comparison;
using reports::Gate;
using reports::Term;

namespace {

using Values = std::map<std::string, double>;

// A run that passes every shipped gate.
const Values kGood{{"capture.captured/m=8", 1},
                   {"capture.allocs/m=8", 0},
                   {"capture.seams/m=8", 0},
                   {"stability.replay_share", 0.97},
                   {"stability.invalidations", 2},
                   {"stability.growths", 2},
                   {"stability.thrash", 0},
                   {"bstar.verify/m=8/past=512", 1.5},
                   {"dram.share/m=1/op=gate_up", 0.7},
                   {"parity.captured_eager", 1},
                   {"parity.rows", 1},
                   {"parity.greedy", 1},
                   {"parity.nan", 0}};

Json run_with(const Values& values) {
  static const Json kBase = [] {
    record::RunRecord run;
    const char* argv[] = {"marlin_bench"};
    run.environment = record::describe_environment(1, argv);
    run.environment["context"]["library_build_type"] = "release";
    run.environment["devices"][0]["kind"] = "cuda";
    run.rows.push_back(tests::sample_row("latest/row", {1}));
    run.stacks.push_back({.name = "latest", .levers = {}, .metrics = {}});
    run.complete = true;
    return record::to_json(run);
  }();
  Json run = kBase;
  for (const auto& [name, value] : values)
    run["stacks"]["latest"]["metrics"][name] = {
        {"value", value}, {"unit", "1"}, {"better", "none"}, {"status", "ok"}, {"reason", nullptr}};
  return run;
}

// The good run, and it with one metric at, just below, just above and well away from every bound of its own term, or
// missing.
std::vector<Values> runs_around(const std::vector<Gate>& gates) {
  std::vector<Values> runs{kGood};
  const auto vary = [&](const std::string& metric, double value) {
    Values run = kGood;
    run[metric] = value;
    runs.push_back(run);
  };
  for (const Gate& gate : gates)
    for (const auto* terms : {&gate.terms, &gate.proof})
      for (const Term& term : *terms) {
        const std::string metric = term.metric == "bstar.verify/m={m}/past={past}" ? "bstar.verify/m=8/past=512"
                                   : term.metric.ends_with("/m={m}")
                                       ? term.metric.substr(0, term.metric.size() - 3) + "8"
                                       : term.metric;
        REQUIRE(kGood.contains(metric));
        std::vector<double> bounds{term.go.is_number() ? term.go.number
                                                       : term.go.times * kGood.at(term.go.metric) + term.go.plus};
        if (term.no_go) bounds.push_back(term.no_go->number);
        for (const double bound : bounds)
          for (const double step : {-0.5, -0.001, 0.0, 0.001, 0.5}) vary(metric, bound + step);
        Values without = kGood;
        without.erase(metric);
        runs.push_back(without);
      }
  return runs;
}

std::vector<std::string> outcomes(const std::vector<Values>& runs, const std::vector<Gate>& gates) {
  std::vector<std::string> result;
  for (const Values& run : runs) {
    const Json record = run_with(run);
    const auto verdict = reports::judge({.record = record, .stack = ""}, gates);
    std::string line(name_of(verdict.overall));
    for (const auto& gate : verdict.gates) line += fmt::format(" {}", name_of(gate.outcome));
    result.push_back(line);
  }
  return result;
}

}  // namespace

TEST_CASE("every comparison, bound and metric of the shipped gates matters to some verdict", "[verdict]") {
  const auto gates = reports::shipped_gates();
  const auto runs = runs_around(gates);
  const auto expected = outcomes(runs, gates);
  REQUIRE(expected[0].starts_with("GO "));
  int mutants = 0;
  const auto kill = [&](std::size_t gate, const char* what, const std::string& metric, const auto& mutate) {
    auto changed = gates;
    mutate(changed[gate]);
    ++mutants;
    CAPTURE(gates[gate].id, what, metric);
    CHECK(outcomes(runs, changed) != expected);
  };
  for (std::size_t g = 0; g < gates.size(); ++g) {
    for (const bool is_proof : {false, true}) {
      const auto& terms = is_proof ? gates[g].proof : gates[g].terms;
      for (std::size_t t = 0; t < terms.size(); ++t) {
        const Term& term = terms[t];
        const auto at = [is_proof, t](Gate& gate) -> Term& { return is_proof ? gate.proof[t] : gate.terms[t]; };
        for (const Comparison other : {Comparison::at_most, Comparison::at_least, Comparison::equal})
          if (other != term.comparison)
            kill(g, "comparison", term.metric, [&](Gate& gate) { at(gate).comparison = other; });
        for (const double step : {-0.01, 0.01}) {
          kill(g, "go", term.metric,
               [&](Gate& gate) { (term.go.is_number() ? at(gate).go.number : at(gate).go.plus) += step; });
          if (term.no_go) kill(g, "no_go", term.metric, [&](Gate& gate) { at(gate).no_go->number += step; });
        }
        if (!term.go.is_number()) kill(g, "times", term.metric, [&](Gate& gate) { at(gate).go.times += 0.5; });
        if (term.no_go) kill(g, "band", term.metric, [&](Gate& gate) { at(gate).no_go.reset(); });
        kill(g, "unit", term.metric, [&](Gate& gate) { at(gate).unit = "ms"; });
        kill(g, "dropped", term.metric, [&](Gate& gate) {
          auto& list = is_proof ? gate.proof : gate.terms;
          list.erase(list.begin() + static_cast<std::ptrdiff_t>(t));
        });
      }
    }
    if (!gates[g].requires_.device.empty()) kill(g, "device", "", [](Gate& gate) { gate.requires_.device = "cpu"; });
  }
  CHECK(mutants > 80);
}
