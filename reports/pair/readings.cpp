#include "reports/pair/readings.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/core/error.hpp"
#include "harness/record/strict_json.hpp"
#include "reports/pair/google_readings.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::reports {
namespace {

// What a decode engine is judged by; everything else of a record is compared on request.
constexpr std::array<std::string_view, 4> kHeadlines = {"decode.gpu_ms/*", "verify.gpu_ms/*", "prefill.tok_per_s/*",
                                                        "e2e.tok_per_s"};

record::Better better_of(const std::string& name) {
  for (const auto better : {record::Better::lower, record::Better::higher})
    if (record::name_of(better) == name) return better;
  return record::Better::none;
}

std::string chosen_stack(const Json& stacks, const std::string& wanted, const std::string& source) {
  if (!wanted.empty() && stacks.contains(wanted)) return wanted;
  std::vector<std::string> names;
  for (const auto& [name, unused] : stacks.items()) names.push_back(name);
  if (wanted.empty() && stacks.contains("latest")) return "latest";
  if (wanted.empty() && names.size() == 1) return names.front();
  throw core::UsageError(fmt::format("{}: {}; the record has {}", source,
                                     wanted.empty() ? "name a stack with --stack" : "there is no stack " + wanted,
                                     fmt::join(names, ", ")));
}

// Kind, name and whatever tells two devices of one name apart.
std::string device_of(const Json& devices) {
  std::string text;
  for (const Json& device : devices) {
    if (!text.empty()) text += "; ";
    text += fmt::format("{} {}", device["kind"].get<std::string>(), device["name"].get<std::string>());
    for (const char* key : {"uuid", "driver"})
      if (const auto found = device.find(key); found != device.end() && found->is_string())
        text += fmt::format(" {}", found->get<std::string>());
  }
  return text;
}

Readings read_record(const Json& document, const std::string& source, const std::string& stack) {
  Readings readings;
  readings.contract = true;
  const auto name = chosen_stack(document["stacks"], stack, source);
  for (const auto& [metric, value] : document["stacks"][name]["metrics"].items()) {
    Reading reading;
    if (value["value"].is_number()) reading.value = value["value"].get<double>();
    reading.unit = value["unit"].get<std::string>();
    reading.better = better_of(value["better"].get<std::string>());
    reading.status = value["status"].get<std::string>();
    if (value["reason"].is_string()) reading.reason = value["reason"].get<std::string>();
    reading.headline = std::any_of(kHeadlines.begin(), kHeadlines.end(),
                                   [&](std::string_view pattern) { return matches(pattern, metric); });
    readings.metrics[metric] = std::move(reading);
  }
  readings.facts["host"] = document["context"]["host_name"].get<std::string>();
  readings.facts["device"] = device_of(document["devices"]);
  if (const auto hash = document["model"].find("weights_hash"); hash != document["model"].end() && hash->is_string())
    readings.facts["model"] = hash->get<std::string>();
  if (document["status"] != "complete")
    readings.partial_reason =
        document["partial_reason"].is_string() ? document["partial_reason"].get<std::string>() : "unknown";
  for (const Json& warning : document["warnings"]) readings.warnings.push_back(warning.get<std::string>());
  return readings;
}

}  // namespace

Readings read_output(std::string_view text, const std::string& source, const std::string& stack) {
  const Json document = record::parse_strict(text, source);
  if (document.is_object() && document.contains("schema"))
    return read_record(record::parse_record(std::string(text), source), source, stack);
  if (is_google(document)) return read_google(document, source);
  throw core::InputError({source, "", "is neither a gonogo run record nor Google Benchmark JSON", ""});
}

bool matches(std::string_view pattern, std::string_view name) {
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (name.substr(0, star) != pattern.substr(0, star)) return false;
  const auto rest = pattern.substr(star + 1);
  for (std::size_t from = star; from <= name.size(); ++from)
    if (matches(rest, name.substr(from))) return true;
  return false;
}

std::vector<std::string> split_names(std::string_view list) {
  std::vector<std::string> names;
  std::string name;
  int depth = 0;
  for (const char c : list) {
    if (c == '<' || c == '(' || c == '[') ++depth;
    if (c == '>' || c == ')' || c == ']') --depth;
    if (c == ',' && depth <= 0) {
      names.push_back(std::move(name));
      name.clear();
    } else {
      name += c;
    }
  }
  names.push_back(std::move(name));
  return names;
}

std::vector<std::string> selected(const Readings& readings, const std::vector<std::string>& patterns) {
  std::vector<std::string> names;
  for (const auto& [name, reading] : readings.metrics) {
    if (reading.better == record::Better::none) continue;
    const bool measured = reading.status != "unmeasured" && reading.status != "skipped";
    bool wanted = patterns.empty() && reading.headline && measured;
    // What a run does not measure is taken when asked for by its full name only.
    for (const std::string& pattern : patterns)
      wanted = wanted || (measured ? matches(pattern, name) : pattern == name);
    if (wanted) names.push_back(name);
  }
  return names;
}

}  // namespace gonogo::reports
