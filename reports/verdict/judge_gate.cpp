#include "reports/verdict/judge_gate.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "reports/gates/metric_path.hpp"
#include "reports/render/numbers.hpp"
#include "reports/verdict/lookup.hpp"

namespace gonogo::reports {
namespace {

using Binding = std::map<std::string, std::string>;

const Json& metrics_of(const Json& record, const std::string& stack) {
  return record.at("stacks").at(stack).at("metrics");
}

std::string device_kind(const Json& record) { return record.at("devices").at(0).value("kind", std::string()); }
std::string device_name(const Json& record) { return record.at("devices").at(0).value("name", std::string()); }
std::string model_text(const Json& record, const char* key) {
  const Json& model = record.at("model");
  return model.is_object() && model.contains(key) && model[key].is_string() ? model[key].get<std::string>() : "";
}

class GateJudge {
 public:
  GateJudge(const JudgeInputs& inputs, const std::string& stack, const Gate& gate)
      : inputs_(inputs), stack_(stack), gate_(gate), metrics_(metrics_of(inputs.record, stack)) {}

  GateResult judge() {
    GateResult result{.gate = gate_};
    if (result.reason = unmet_requirement(); !result.reason.empty()) return result;
    if (gate_.timing && inputs_.record.at("context").value("library_build_type", std::string()) != "release") {
      result.outcome = Outcome::invalid;
      result.reason = "timings of a build that is no release";
      return result;
    }
    for (const Binding& binding : bindings()) {
      for (const Term& term : gate_.proof) {
        TermResult proof = judge_proof(term, binding);
        const auto known = [&](const TermResult& other) {
          return other.metric == proof.metric && other.comparison == proof.comparison;
        };
        if (std::none_of(result.proof.begin(), result.proof.end(), known))
          result.proof.push_back(std::move(proof));  // once for all bindings
      }
      for (const Term& term : gate_.terms) result.terms.push_back(judge_term(term, binding));
    }
    settle(result);
    return result;
  }

 private:
  // Wrong output spoils every figure, a good or a bad one; unproven output leaves in doubt what was measured.
  static void settle(GateResult& result) {
    const Outcome proof = result.proof.empty() ? Outcome::pass : worst(result.proof), terms = worst(result.terms);
    const bool measured = terms != Outcome::unmeasured && terms != Outcome::invalid;
    const bool unproven = proof == Outcome::invalid || (proof != Outcome::pass && measured);
    result.outcome = unproven ? proof : terms;
    for (const TermResult& term : unproven ? result.proof : result.terms)
      if (term.outcome == result.outcome && result.reason.empty()) result.reason = term.reason;
    for (const auto* part : {&result.proof, &result.terms})
      for (const TermResult& term : *part) result.wrong = result.wrong || term.wrong;
  }

  std::string unmet_requirement() const {
    const Requirements& wanted = gate_.requires_;
    const auto device = device_kind(inputs_.record);
    if (!wanted.device.empty() && device != wanted.device)
      return fmt::format("needs a {} device, the run was on {}", wanted.device, device);
    const auto model = model_text(inputs_.record, "name");
    if (!wanted.models.empty() && std::find(wanted.models.begin(), wanted.models.end(), model) == wanted.models.end())
      return fmt::format("needs model {}, the run was of '{}'", fmt::join(wanted.models, " or "), model);
    const Json& on = inputs_.record.at("stacks").at(stack_).at("levers");
    for (const auto& lever : wanted.levers)
      if (std::find(on.begin(), on.end(), lever) == on.end())
        return fmt::format("needs lever {}, which stack {} has off", lever, stack_);
    return "";
  }

  // All combinations of the parameters' values in this run. A parameter without any value keeps its setting, so that
  // the look-up fails by name.
  std::vector<Binding> bindings() const {
    std::vector<Binding> result{{}};
    for (const auto& [name, setting] : gate_.parameters) {
      std::vector<std::string> values{setting};
      if (setting == "each" || setting == "smallest" || setting == "largest") {
        values = values_in(metrics_, gate_, name);
        if (values.empty()) values = {fmt::format("{{{}}}", name)};
        if (setting == "smallest") values = {values.front()};
        if (setting == "largest") values = {values.back()};
      }
      std::vector<Binding> grown;
      for (const Binding& binding : result)
        for (const auto& value : values) {
          grown.push_back(binding);
          grown.back()[name] = value;
        }
      result = std::move(grown);
    }
    return result;
  }

  TermResult judge_term(const Term& term, const Binding& binding) const {
    TermResult result{.metric = fill(term.metric, binding), .unit = term.unit, .comparison = term.comparison};
    const auto settle = [&](const NoValue& none) {
      result.outcome = none.outcome;
      result.reason = none.reason;
      result.wrong = none.wrong;
      return result;
    };
    const auto looked = look_up(metrics_, result.metric, term.unit);
    if (const auto* none = std::get_if<NoValue>(&looked)) return settle(*none);
    const auto& value = std::get<Value>(looked);
    result.value = value.number;
    if (const bool against = (term.comparison == Comparison::at_most && value.better == "higher") ||
                             (term.comparison == Comparison::at_least && value.better == "lower");
        against)
      return settle(
          {Outcome::invalid,
           fmt::format("{} is better {}, the gate asks for {}", result.metric, value.better, symbol(term.comparison)),
           true});
    const auto go = bound_of(term.go, term.unit, binding);
    if (const auto* none = std::get_if<NoValue>(&go)) return settle(*none);
    result.go = std::get<Value>(go).number;
    if (term.no_go) {
      const auto no_go = bound_of(*term.no_go, term.unit, binding);
      if (const auto* none = std::get_if<NoValue>(&no_go)) return settle(*none);
      result.no_go = std::get<Value>(no_go).number;
    }
    result.outcome = compare(value.number, term.comparison, *result.go, result.no_go);
    result.reason = told(result);
    if (const auto doubt = too_few_samples(result.metric); !doubt.empty())
      return settle({Outcome::inconclusive, doubt});
    return result;
  }

  // What proves the output right: a failure spoils the figures, a gap leaves them unproven.
  TermResult judge_proof(const Term& term, const Binding& binding) const {
    TermResult result = judge_term(term, binding);
    if (result.outcome == Outcome::fail) {
      result.outcome = Outcome::invalid;
      result.wrong = true;
      result.reason = fmt::format("the output was wrong: {}", result.reason);
    } else if (result.outcome == Outcome::unmeasured || result.outcome == Outcome::between) {
      result.outcome = Outcome::inconclusive;
      result.reason = fmt::format("the run did not prove its output right: {}", result.reason);
    }
    return result;
  }

  Looked bound_of(const Bound& bound, const std::string& unit, const Binding& binding) const {
    if (bound.is_number()) return Value{bound.number, "none"};
    const Json* metrics = &metrics_;
    if (!bound.baseline.empty()) {
      const auto found = inputs_.baselines.find(bound.baseline);
      if (found == inputs_.baselines.end())
        return NoValue{Outcome::unmeasured,
                       fmt::format("needs the baseline record {0} (--baseline {0}=FILE)", bound.baseline)};
      if (const auto reason = mismatch(*found->second); !reason.empty())
        return NoValue{Outcome::invalid, fmt::format("baseline {}: {}", bound.baseline, reason)};
      metrics = &metrics_of(*found->second, stack_);
    }
    auto looked = look_up(*metrics, fill(bound.metric, binding), unit);
    if (auto* none = std::get_if<NoValue>(&looked)) {
      none->reason =
          fmt::format("{}{}", bound.baseline.empty() ? "" : "baseline " + bound.baseline + ": ", none->reason);
      return looked;
    }
    auto& value = std::get<Value>(looked);
    value.number = bound.times * value.number + bound.plus;
    if (!std::isfinite(value.number)) return NoValue{Outcome::invalid, "the bound is not finite", true};
    return looked;
  }

  std::string mismatch(const Json& baseline) const {
    if (device_kind(baseline) != device_kind(inputs_.record) || device_name(baseline) != device_name(inputs_.record))
      return fmt::format("is of device {}, the run of {}", device_name(baseline), device_name(inputs_.record));
    for (const char* key : {"name", "weights_hash"})
      if (model_text(baseline, key) != model_text(inputs_.record, key))
        return fmt::format("has model {} '{}', the run '{}'", key, model_text(baseline, key),
                           model_text(inputs_.record, key));
    if (!baseline.at("stacks").contains(stack_)) return "has no stack " + stack_;
    return "";
  }

  std::string too_few_samples(const std::string& metric) const {
    if (gate_.min_samples == 0) return "";
    std::int64_t fewest = -1;
    for (const Json& row : inputs_.record.at("benchmarks")) {
      if (row.value("aggregate_name", std::string()) != "median" || !row.contains("gonogo")) continue;
      if (row["gonogo"].value("metric", std::string()) != metric ||
          row["gonogo"].value("stack", std::string()) != stack_)
        continue;
      const auto n = row.value("iterations", std::int64_t{0});
      fewest = fewest < 0 ? n : std::min(fewest, n);
    }
    if (fewest >= gate_.min_samples) return "";
    return fmt::format("{} rests on {} samples, the gate asks for {}", metric, std::max<std::int64_t>(0, fewest),
                       gate_.min_samples);
  }

  static std::string told(const TermResult& term) {
    const auto shown = shown_numbers(term);
    const auto relation = fmt::format("{} = {}", term.metric, shown.value);
    switch (term.outcome) {
      case Outcome::pass:
        return fmt::format("{} {} {}", relation, symbol(term.comparison), shown.go);
      case Outcome::between:
        return fmt::format("{} lies between go {} and no-go {}", relation, shown.go, shown.no_go);
      default:
        if (!term.no_go) return fmt::format("{} is not {} {}", relation, symbol(term.comparison), shown.go);
        return fmt::format("{} {} no-go {}", relation,
                           term.comparison == Comparison::at_most ? "reaches" : "lies below", shown.no_go);
    }
  }

  const JudgeInputs& inputs_;
  const std::string& stack_;
  const Gate& gate_;
  const Json& metrics_;
};

}  // namespace

ShownNumbers shown_numbers(const TermResult& term) {
  std::vector<double> numbers;
  for (const auto& number : {term.value, term.go, term.no_go})
    if (number) numbers.push_back(*number);
  const auto texts = distinct(numbers, term.unit);
  ShownNumbers shown;
  std::size_t next = 0;
  if (term.value) shown.value = texts[next++];
  if (term.go) shown.go = texts[next++];
  if (term.no_go) shown.no_go = texts[next++];
  return shown;
}

Outcome compare(double value, Comparison comparison, double go, std::optional<double> no_go) {
  if (!std::isfinite(value) || !std::isfinite(go) || (no_go && !std::isfinite(*no_go))) return Outcome::invalid;
  const bool passes = comparison == Comparison::at_most    ? value <= go
                      : comparison == Comparison::at_least ? value >= go
                                                           : value == go;
  if (passes) return Outcome::pass;
  if (!no_go) return Outcome::fail;
  const bool fails = comparison == Comparison::at_most ? value >= *no_go : value < *no_go;
  return fails ? Outcome::fail : Outcome::between;
}

Outcome worst(std::span<const TermResult> terms) {
  constexpr std::array kOrder{Outcome::fail, Outcome::invalid, Outcome::unmeasured, Outcome::inconclusive,
                              Outcome::between};
  for (const Outcome outcome : kOrder)
    if (std::any_of(terms.begin(), terms.end(), [&](const TermResult& term) { return term.outcome == outcome; }))
      return outcome;
  return terms.empty() ? Outcome::inconclusive : Outcome::pass;
}

GateResult judge_gate(const JudgeInputs& inputs, const std::string& stack, const Gate& gate) {
  return GateJudge(inputs, stack, gate).judge();
}

}  // namespace gonogo::reports
