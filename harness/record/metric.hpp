// A flat metric: what gates and comparisons name. Source: docs/measuring.md, "Flat metrics".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gonogo::record {

enum class Better { lower, higher, none };
enum class Status { ok, skipped, failed, invalid, unmeasured };
[[nodiscard]] std::string_view name_of(Better better);
[[nodiscard]] std::string_view name_of(Status status);

/// `value` is null exactly when status is not ok, and then `reason` says why.
struct Metric {
  std::optional<double> value;
  std::string unit = {};  // "ms", "tok/s", "1", "B"
  Better better = Better::none;
  Status status = Status::ok;
  std::string reason = {};
  std::optional<double> observed = {};  // the number that was seen but is not valid; only when status is not ok
};

/// A measured metric; a missing or non-finite value becomes status unmeasured or invalid, never a number.
[[nodiscard]] Metric measured(std::optional<double> value, std::string unit, Better better);
/// A metric without a value, and why.
[[nodiscard]] Metric absent(Status status, std::string reason, std::string unit, Better better);

/// Labels in alphabetical order after the name: metric_name("verify.gpu_ms", {{"past","512"},{"m","8"}}) is
/// "verify.gpu_ms/m=8/past=512".
[[nodiscard]] std::string metric_name(const std::string& base, const std::map<std::string, std::string>& labels);

}  // namespace gonogo::record
