#include "reports/verdict/lookup.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "reports/gates/metric_path.hpp"

namespace gonogo::reports {
namespace {

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// The metric fits when base, label keys and all plain label values agree; then the value at the parameter.
std::optional<std::string> bound_value(const MetricPath& metric, const MetricPath& pattern,
                                       const std::string& parameter, const Gate& gate) {
  if (metric.base != pattern.base || metric.labels.size() != pattern.labels.size()) return std::nullopt;
  std::optional<std::string> result;
  for (const auto& [key, wanted] : pattern.labels) {
    const auto label = metric.labels.find(key);
    if (label == metric.labels.end()) return std::nullopt;
    const auto name = placeholder(wanted);
    if (name.empty() && label->second != wanted) return std::nullopt;
    if (name == parameter) result = label->second;
    if (name.empty() || name == parameter) continue;
    const auto& setting = gate.parameters.at(name);
    const bool free = setting == "each" || setting == "smallest" || setting == "largest";
    if (!free && label->second != setting) return std::nullopt;
  }
  return result;
}

}  // namespace

Looked look_up(const Json& metrics, const std::string& name, const std::string& unit) {
  const auto found = metrics.find(name);
  if (found == metrics.end()) return NoValue{Outcome::unmeasured, "the run has no metric " + name};
  if (!found->is_object()) return NoValue{Outcome::invalid, name + " is no metric", true};
  const auto status = text_of(*found, "status"), why = text_of(*found, "reason");
  if (status == "unmeasured" || status == "skipped")
    return NoValue{Outcome::unmeasured, fmt::format("{}: {}", status, why)};
  if (status == "failed" || status == "invalid")
    return NoValue{Outcome::invalid, fmt::format("{}: {}", status, why), true};
  if (status != "ok") return NoValue{Outcome::invalid, fmt::format("the status of {} is '{}'", name, status), true};
  const auto value = found->find("value");
  if (value == found->end() || !value->is_number() || !std::isfinite(value->get<double>()))
    return NoValue{Outcome::invalid, fmt::format("{} has no finite value", name), true};
  if (const auto got = text_of(*found, "unit"); got != unit)
    return NoValue{Outcome::invalid, fmt::format("{} is in '{}', the gate asks for '{}'", name, got, unit), true};
  return Value{value->get<double>(), text_of(*found, "better")};
}

std::vector<std::string> values_in(const Json& metrics, const Gate& gate, const std::string& name) {
  std::set<std::string> seen;
  for (const Term& term : gate.terms) {
    const auto pattern = parse_metric_path(term.metric);
    for (const auto& [metric_name, unused] : metrics.items())
      if (const auto metric = parse_metric_path(metric_name))
        if (const auto value = bound_value(*metric, *pattern, name, gate)) seen.insert(*value);
  }
  std::vector<std::string> values(seen.begin(), seen.end());
  const auto number = [](const std::string& text) { return std::strtod(text.c_str(), nullptr); };
  std::stable_sort(values.begin(), values.end(), [&](const auto& a, const auto& b) { return number(a) < number(b); });
  return values;
}

}  // namespace gonogo::reports
