// Reading flat metrics of one stack.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/record/json.hpp"

namespace gonogo::reports {

using record::Json;

/// A number, or why there is none.
struct Figure {
  std::optional<double> value;
  std::string reason;
};

/// `metrics` is stacks.<stack>.metrics. A metric that is not there, not ok or not finite has no value but a reason.
[[nodiscard]] Figure figure(const Json& metrics, const std::string& name);

/// A member of a free-form part of a record, whatever stands there: `otherwise` where there is none of that type.
[[nodiscard]] std::string text_or(const Json& object, const char* key, const std::string& otherwise);
[[nodiscard]] double number_or(const Json& object, const char* key, double otherwise);
/// Never null: an empty list where there is no list.
[[nodiscard]] const Json& list_or_empty(const Json& object, const char* key);

/// The values of label `key` among metrics of this base whose other labels are those given ("m=8"), numbers in order.
[[nodiscard]] std::vector<std::string> label_values(const Json& metrics, const std::string& base,
                                                    const std::string& key, const std::string& others = "");

}  // namespace gonogo::reports
