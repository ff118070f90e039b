// What identical code shows on one machine: the A/A noise floor of each metric, learned by `gonogo calibrate` and read
// by comparisons. A file of its own, "gonogo/noise".
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "harness/core/eligibility.hpp"
#include "harness/record/json.hpp"
#include "harness/record/metric.hpp"
#include "harness/stats/paired.hpp"

namespace gonogo::reports {

using record::Json;

/// Sizes are of log-ratios of two arms of the same code, fresh processes next to each other.
struct NoiseRow {
  std::string unit;
  record::Better better = record::Better::none;
  std::size_t blocks = 0;
  double typical = 0;     // median value of the metric
  double stddev = 0;      // of one block about the mean of its order
  double run_floor = 0;   // 95 % of two single runs of the same code differ by less: what one run a side must exceed
  double mean_floor = 0;  // size of the mean over all blocks: what no number of blocks averages away, or luck
};

struct NoiseFile {
  std::map<std::string, std::string> facts;  // "host", "device", "model": where it holds
  std::string command;
  std::string date;
  std::map<std::string, NoiseRow> rows;
};

/// nullopt with too few blocks for a spread in both orders (six). Throws LogicError for values without a logarithm.
[[nodiscard]] std::optional<NoiseRow> noise_of(std::span<const double> first, std::span<const double> second,
                                               std::span<const std::uint8_t> orders);

[[nodiscard]] Json to_json(const NoiseFile& noise);
/// Throws core::InputError with file and key path.
[[nodiscard]] NoiseFile parse_noise(const std::string& text, const std::string& file);
[[nodiscard]] NoiseFile read_noise(const std::filesystem::path& path);

/// A floor of another machine says nothing: refuses when host or device differ. A fact that is unknown on one side is
/// no difference.
[[nodiscard]] core::Eligibility holds_for(const NoiseFile& noise, const std::map<std::string, std::string>& facts);

}  // namespace gonogo::reports
