// Numbers for people: at least three significant digits, a unit per cell, and nothing that is not zero shown as zero.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gonogo::reports {

/// 1234.5 -> "1234", 12.345 -> "12.3", 0.0012345 -> "0.00123", 1.5e-9 -> "1.50e-09", 0 -> "0", not finite ->
/// "undefined".
[[nodiscard]] std::string significant(double value, int digits = 3);

/// Each with its own unit: "1.46 µs", "10.2 ms", "1.10 s"; "1.50 KiB"; "4.80 TB/s"; "55.3 %" of a fraction; "+12.3 %"
/// of a ratio - 1.
[[nodiscard]] std::string duration(double ms, int digits = 3);
[[nodiscard]] std::string bytes(double count, int digits = 3);
[[nodiscard]] std::string bandwidth(double bytes_per_second, int digits = 3);
[[nodiscard]] std::string percent(double fraction);
[[nodiscard]] std::string signed_percent(double fraction);

/// A value in a record's unit: "ms" as duration, "B" as bytes, "B/s" as bandwidth, "1" bare, others appended.
[[nodiscard]] std::string quantity(double value, const std::string& unit, int digits = 3);

/// Values that are read beside each other, a figure and its bounds: four significant digits, more where two different
/// values would read alike, and no trailing zeros. "2.267" beside "2"; "1.99996" beside "2".
[[nodiscard]] std::vector<std::string> distinct(std::span<const double> values, const std::string& unit);

/// The text of an optional number; "-" when absent.
template <class Format>
[[nodiscard]] std::string or_dash(const std::optional<double>& value, Format format) {
  return value ? format(*value) : "-";
}

}  // namespace gonogo::reports
