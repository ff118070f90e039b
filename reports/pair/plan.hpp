// A paired session before it runs: commands, order, metrics and the rule of decision, all fixed beforehand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/pair/readings.hpp"

namespace gonogo::reports {

enum class Arm : std::uint8_t { a, b, control };
[[nodiscard]] std::string_view name_of(Arm arm);

struct PairPlan {
  std::string a, b;                    // shell commands: base and candidate
  std::optional<std::string> control;  // the code of a once more: what moves here is noise
  std::size_t blocks = 12;
  std::uint64_t seed = 1;
  std::vector<std::string> metrics;  // names or patterns; empty: the headline metrics of the first run
  std::string stack;
  std::optional<std::string> gpu;  // UUID
  double timeout_s = 0;            // of one run; 0: none
  double alpha = 0.05;             // of the whole family of metrics
  double practical = 0.01;         // relative changes up to this size do not matter
  std::vector<std::string> allow;  // facts that may differ between runs: "host", "device", "model"
};

/// A run of one arm in its place.
struct Visit {
  std::size_t index = 0;  // of all runs
  std::size_t block = 0;
  Arm arm = Arm::a;
};

/// Two blocks after one another have opposite orders, so over them a steady drift favours no arm: A B B A or, as the
/// seed falls, B A A B; with a control A B C C B A or C B A A B C.
[[nodiscard]] std::vector<Visit> visits_of(const PairPlan& plan);
/// Per block: 0 when a goes before b, 1 when after.
[[nodiscard]] std::vector<std::uint8_t> orders_of(const PairPlan& plan);

/// Throws core::UsageError with the numbers when `metrics` rows can never be called at the plan's level with so few
/// blocks.
void check_reach(const PairPlan& plan, std::size_t metrics);

[[nodiscard]] Json to_json(const PairPlan& plan);
/// Throws core::InputError that names `source` and the key.
[[nodiscard]] PairPlan plan_from(const Json& json, const std::string& source, const std::string& place);

}  // namespace gonogo::reports
