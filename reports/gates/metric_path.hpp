// Metric names taken apart: "bstar.verify/m=8/past=512" is a base and labels; a pattern has {parameter} for label
// values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gonogo::reports {

using Labels = std::map<std::string, std::string>;

struct MetricPath {
  std::string base;
  Labels labels;
};

/// nullopt when the text is no metric name: an empty part, a label without "=", labels given twice or out of order.
[[nodiscard]] std::optional<MetricPath> parse_metric_path(const std::string& text);

/// The parameter a label value stands for, "past" of "{past}"; empty for a plain value.
[[nodiscard]] std::string placeholder(const std::string& label_value);
[[nodiscard]] std::vector<std::string> placeholders(const MetricPath& pattern);

/// The metric name that a pattern and the parameters' values make.
[[nodiscard]] std::string fill(const std::string& pattern, const std::map<std::string, std::string>& values);

}  // namespace gonogo::reports
