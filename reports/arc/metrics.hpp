// Reading flat metrics of one stack.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/record/run_record.hpp"

namespace gonogo::reports {

using record::Json;

/// A number, or why there is none.
struct Figure {
  std::optional<double> value;
  std::string reason;
};

/// `metrics` is stacks.<stack>.metrics. A metric that is not there, not ok or not finite has no value but a reason.
[[nodiscard]] Figure figure(const Json& metrics, const std::string& name);

/// The values of label `key` among metrics of this base whose other labels are those given ("m=8"), numbers in order.
[[nodiscard]] std::vector<std::string> label_values(const Json& metrics, const std::string& base,
                                                    const std::string& key, const std::string& others = "");

}  // namespace gonogo::reports
