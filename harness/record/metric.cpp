#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "harness/record/run_record.hpp"

namespace gonogo::record {

std::string_view name_of(Better better) {
  switch (better) {
    case Better::lower:
      return "lower";
    case Better::higher:
      return "higher";
    case Better::none:
      break;
  }
  return "none";
}

std::string_view name_of(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::skipped:
      return "skipped";
    case Status::failed:
      return "failed";
    case Status::invalid:
      return "invalid";
    case Status::unmeasured:
      break;
  }
  return "unmeasured";
}

Metric measured(std::optional<double> value, std::string unit, Better better) {
  if (!value) return absent(Status::unmeasured, "no value was taken", std::move(unit), better);
  if (!std::isfinite(*value))
    return absent(Status::invalid, fmt::format("the value was {}", *value), std::move(unit), better);
  return {.value = value, .unit = std::move(unit), .better = better, .status = Status::ok, .reason = ""};
}

Metric absent(Status status, std::string reason, std::string unit, Better better) {
  return {
      .value = std::nullopt, .unit = std::move(unit), .better = better, .status = status, .reason = std::move(reason)};
}

std::string metric_name(const std::string& base, const std::map<std::string, std::string>& labels) {
  std::string name = base;
  for (const auto& [key, value] : labels) name += "/" + key + "=" + value;
  return name;
}

}  // namespace gonogo::record
