#include "reports/pair/noise.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "harness/core/error.hpp"
#include "harness/record/strict_json.hpp"
#include "harness/stats/distributions.hpp"
#include "harness/stats/summary.hpp"

namespace gonogo::reports {
namespace {

constexpr const char* kSchema = "gonogo/noise";

NoiseRow row_from(const Json& json) {
  NoiseRow row;
  row.unit = json.at("unit").get<std::string>();
  row.better = json.at("better") == "lower" ? record::Better::lower : record::Better::higher;
  row.blocks = json.at("blocks").get<std::size_t>();
  row.typical = json.at("typical").get<double>();
  row.stddev = json.at("stddev").get<double>();
  row.run_floor = json.at("run_floor").get<double>();
  row.mean_floor = json.at("mean_floor").get<double>();
  return row;
}

}  // namespace

std::optional<NoiseRow> noise_of(std::span<const double> first, std::span<const double> second,
                                 std::span<const std::uint8_t> orders) {
  const auto ratios = stats::log_ratios(first, second);
  GONOGO_EXPECT(ratios.has_value(), "every value has a logarithm");
  if (ratios->size() < stats::kFewestForInterval) return std::nullopt;
  const auto summary = stats::summarize_pairs({*ratios, orders});
  if (!summary.stddev) return std::nullopt;
  std::vector<double> values(first.begin(), first.end());
  values.insert(values.end(), second.begin(), second.end());
  const auto n = static_cast<double>(summary.n);
  const double dof = n - (summary.order_effect ? 2 : 1);
  NoiseRow row;
  row.blocks = summary.n;
  row.typical = *stats::median(values);
  row.stddev = *summary.stddev;
  // Student's prediction of one more block: the spread itself is only estimated. What going second costs adds to it.
  row.run_floor = *stats::student_quantile(0.975, dof) * row.stddev * std::sqrt(1 + 1 / n) +
                  std::abs(summary.order_effect.value_or(0));
  row.mean_floor = std::abs(*summary.mean);
  return row;
}

Json to_json(const NoiseFile& noise) {
  Json rows = Json::object();
  for (const auto& [name, row] : noise.rows)
    rows[name] = {{"unit", row.unit},
                  {"better", record::name_of(row.better)},
                  {"blocks", row.blocks},
                  {"typical", row.typical},
                  {"stddev", row.stddev},
                  {"run_floor", row.run_floor},
                  {"mean_floor", row.mean_floor}};
  return {{"schema", kSchema},
          {"schema_version", 1},
          {"date", noise.date},
          {"command", noise.command},
          {"facts", noise.facts},
          {"sizes", "natural log-ratios of identical code, fresh processes next to each other"},
          {"metrics", std::move(rows)}};
}

NoiseFile parse_noise(const std::string& text, const std::string& file) {
  const Json json = record::parse_strict(text, file);
  if (!json.is_object() || !json.contains("schema") || json["schema"] != kSchema)
    throw core::InputError({file, "schema", "the file is no noise floor: key schema is not \"gonogo/noise\"",
                            "write one with gonogo calibrate"});
  if (!json.contains("schema_version") || json["schema_version"] != 1)
    throw core::InputError({file, "schema_version", "wanted 1", ""});
  NoiseFile noise;
  std::string place = "metrics";
  try {
    noise.facts = json.at("facts").get<std::map<std::string, std::string>>();
    noise.command = json.at("command").get<std::string>();
    noise.date = json.at("date").get<std::string>();
    for (const auto& [name, row] : json.at("metrics").items()) {
      place = "metrics." + name;
      noise.rows[name] = row_from(row);
      if (!(noise.rows[name].stddev >= 0 && noise.rows[name].run_floor >= 0 && noise.rows[name].mean_floor >= 0))
        throw core::InputError({file, place, "has a negative size", ""});
    }
  } catch (const Json::exception& error) {
    throw core::InputError({file, place, fmt::format("is malformed: {}", error.what()), ""});
  }
  if (noise.rows.empty()) throw core::InputError({file, "metrics", "is empty", ""});
  return noise;
}

NoiseFile read_noise(const std::filesystem::path& path) { return parse_noise(record::read_text(path), path.string()); }

core::Eligibility holds_for(const NoiseFile& noise, const std::map<std::string, std::string>& facts) {
  for (const char* key : {"host", "device"}) {
    const auto there = noise.facts.find(key), here = facts.find(key);
    if (there == noise.facts.end() || here == facts.end() || there->second.empty() || here->second.empty()) continue;
    if (there->second != here->second)
      return core::refuse(fmt::format("{} of the noise floor", key), here->second, there->second);
  }
  return core::accept();
}

}  // namespace gonogo::reports
