// Metrics of one stack of a record, by name and by pattern.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "reports/verdict/verdict.hpp"

namespace gonogo::reports {

/// Why there is no number to compare.
struct NoValue {
  Outcome outcome = Outcome::unmeasured;
  std::string reason;
  bool wrong = false;
};
struct Value {
  double number = 0;
  std::string better;  // "lower", "higher", "none"
};
using Looked = std::variant<Value, NoValue>;

/// The metric's value when it is there, ok, a finite number and in `unit`; otherwise the outcome that follows.
[[nodiscard]] Looked look_up(const Json& metrics, const std::string& name, const std::string& unit);

/// The values that label parameter `name` takes among metrics that fit `pattern` (other parameters may be anything),
/// sorted as numbers where they are.
[[nodiscard]] std::vector<std::string> values_in(const Json& metrics, const Gate& gate, const std::string& name);

}  // namespace gonogo::reports
