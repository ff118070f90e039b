#include "reports/arc/metrics.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "reports/gates/metric_path.hpp"

namespace gonogo::reports {

Figure figure(const Json& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  if (found == metrics.end()) return {std::nullopt, "not in the record"};
  const Json& metric = *found;
  if (metric.at("status") != "ok")
    return {std::nullopt, fmt::format("{}: {}", metric.at("status").get<std::string>(),
                                      metric.at("reason").is_string() ? metric.at("reason").get<std::string>() : "")};
  if (!metric.at("value").is_number() || !std::isfinite(metric.at("value").get<double>()))
    return {std::nullopt, "not a finite number"};
  return {metric.at("value").get<double>(), ""};
}

std::string text_or(const Json& object, const char* key, const std::string& otherwise) {
  if (!object.is_object()) return otherwise;
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : otherwise;
}

double number_or(const Json& object, const char* key, double otherwise) {
  if (!object.is_object()) return otherwise;
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : otherwise;
}

const Json& list_or_empty(const Json& object, const char* key) {
  static const Json kEmpty = Json::array();
  if (!object.is_object()) return kEmpty;
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : kEmpty;
}

std::vector<std::string> label_values(const Json& metrics, const std::string& base, const std::string& key,
                                      const std::string& others) {
  std::vector<std::string> values;
  for (const auto& [name, unused] : metrics.items()) {
    auto path = parse_metric_path(name);
    if (!path || path->base != base || !path->labels.contains(key)) continue;
    const std::string value = path->labels.at(key);
    path->labels.erase(key);
    std::string rest;
    for (const auto& [label, text] : path->labels) rest += fmt::format("{}{}={}", rest.empty() ? "" : "/", label, text);
    if (rest == others && std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  const auto number = [](const std::string& text) { return std::strtod(text.c_str(), nullptr); };
  std::stable_sort(values.begin(), values.end(), [&](const auto& a, const auto& b) { return number(a) < number(b); });
  return values;
}

}  // namespace gonogo::reports
