#include "reports/gates/metric_path.hpp"

#include "harness/core/error.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::reports {

std::optional<MetricPath> parse_metric_path(const std::string& text) {
  MetricPath path;
  std::string last;
  for (std::size_t at = 0; at <= text.size();) {
    const auto slash = std::min(text.find('/', at), text.size());
    const auto part = text.substr(at, slash - at);
    if (part.empty()) return std::nullopt;
    if (at == 0) {
      path.base = part;
    } else {
      const auto equals = part.find('=');
      if (equals == std::string::npos || equals == 0 || equals + 1 == part.size()) return std::nullopt;
      const auto key = part.substr(0, equals);
      if (key <= last) return std::nullopt;
      path.labels[key] = part.substr(equals + 1);
      last = key;
    }
    at = slash + 1;
  }
  return path;
}

std::string placeholder(const std::string& label_value) {
  if (label_value.size() < 3 || label_value.front() != '{' || label_value.back() != '}') return "";
  return label_value.substr(1, label_value.size() - 2);
}

std::vector<std::string> placeholders(const MetricPath& pattern) {
  std::vector<std::string> names;
  for (const auto& [key, value] : pattern.labels)
    if (const auto name = placeholder(value); !name.empty()) names.push_back(name);
  return names;
}

std::string fill(const std::string& pattern, const std::map<std::string, std::string>& values) {
  auto path = parse_metric_path(pattern);
  GONOGO_EXPECT(path.has_value(), pattern);
  for (auto& [key, value] : path->labels)
    if (const auto name = placeholder(value); !name.empty()) value = values.at(name);
  return record::metric_name(path->base, path->labels);
}

}  // namespace gonogo::reports
