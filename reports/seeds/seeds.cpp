#include "reports/seeds/seeds.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.hpp"
#include "harness/record/embedded.hpp"
#include "harness/record/strict_json.hpp"

namespace gonogo::reports {

std::span<const record::EmbeddedFile> embedded_seeds();       // generated
std::span<const record::EmbeddedFile> embedded_seed_gates();  // generated

namespace {

SeedConfiguration configuration(const Json& json) {
  return {.id = json.at("id"),
          .stack = json.at("stack"),
          .commit = json.at("commit"),
          .date = json.at("date"),
          .engine = json.at("engine"),
          .model = json.at("model"),
          .source = json.at("source"),
          .note = json.at("note"),
          .metrics = json.at("metrics").get<std::map<std::string, double>>(),
          .absent = json.at("absent").get<std::map<std::string, std::string>>(),
          .seams = json.at("seams").get<std::map<std::string, int>>()};
}

SeedVerdict verdict(const Json& json) {
  return {.id = json.at("id"),
          .published = json.at("published"),
          .configuration = json.at("configuration"),
          .gates = json.at("gates").get<std::map<std::string, std::string>>(),
          .by_the_rules = json.at("by_the_rules"),
          .note = json.at("note")};
}

SeedRegressionTable regression_table(const Json& json) {
  SeedRegressionTable table{
      .id = json.at("id"), .source = json.at("source"), .statistic = json.at("statistic"), .rows = {}};
  for (const Json& row : json.at("rows"))
    table.rows.push_back({.scenario = row.at(0),
                          .base_ns = row.at(1),
                          .head_ns = row.at(2),
                          .printed_change_percent = row.at(3),
                          .printed_status = row.at(4)});
  return table;
}

void add_file(Seeds& seeds, const Json& document) {
  const auto schema = document.at("schema").get<std::string>();
  if (schema == "gonogo/seeds") {
    seeds.about = document.at("about").get<std::vector<std::string>>();
    seeds.sources = document.at("sources").get<std::map<std::string, std::string>>();
    for (const Json& json : document.at("configurations")) seeds.configurations.push_back(configuration(json));
  } else if (schema == "gonogo/seed-verdicts") {
    for (const Json& json : document.at("verdicts")) seeds.verdicts.push_back(verdict(json));
  } else {
    seeds.regressions.push_back(regression_table(document));
  }
}

void check(const Seeds& seeds) {
  for (const SeedConfiguration& one : seeds.configurations)
    if (!seeds.sources.contains(one.source))
      throw core::InputError({"configurations.json", one.id, fmt::format("no source '{}'", one.source), ""});
  for (const SeedVerdict& one : seeds.verdicts)
    if (std::none_of(seeds.configurations.begin(), seeds.configurations.end(),
                     [&](const auto& other) { return other.id == one.configuration; }))
      throw core::InputError({"verdicts.json", one.id, fmt::format("no configuration '{}'", one.configuration), ""});
}

}  // namespace

Seeds seeds() {
  Seeds result;
  for (const auto& file : embedded_seeds()) {
    const std::string name(file.name);
    const Json document = record::parse_strict(file.text, name);
    try {
      add_file(result, document);
    } catch (const Json::exception& error) {
      throw core::InputError({name, "", error.what(), ""});
    }
  }
  check(result);
  return result;
}

std::vector<Gate> seed_gates() {
  std::vector<Gate> gates;
  for (const auto& file : embedded_seed_gates())
    gates.push_back(parse_gate(std::string(file.text), std::string(file.name)));
  return gates;
}

}  // namespace gonogo::reports
