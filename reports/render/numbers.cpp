#include "reports/render/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace gonogo::reports {
namespace {

struct Scale {
  double factor;
  const char* unit;
};

// The largest scale in which the value, as printed, is at least 1; the smallest one otherwise.
template <std::size_t N>
std::string scaled(double value, const std::array<Scale, N>& scales, int digits) {
  if (!std::isfinite(value)) return "undefined";
  for (const Scale& scale : scales)
    if (std::fabs(value) >= scale.factor * 0.9995)
      return fmt::format("{} {}", significant(value / scale.factor, digits), scale.unit);
  return fmt::format("{} {}", significant(value / scales.back().factor, digits), scales.back().unit);
}

// Of the number that a text starts with: "2.500 ms" -> "2.5 ms", "1.000e+09" -> "1e+09".
std::string without_trailing_zeros(const std::string& text) {
  const auto point = text.find('.');
  if (point == std::string::npos) return text;
  const auto end = std::min(text.find_first_not_of("0123456789", point + 1), text.size());
  auto last = text.find_last_not_of('0', end - 1);
  if (last == point) --last;
  return text.substr(0, last + 1) + text.substr(end);
}

}  // namespace

std::string significant(double value, int digits) {
  if (!std::isfinite(value)) return "undefined";
  if (value == 0) return "0";
  // Rounded first: 9.996 has two digits before the point.
  const double rounded = std::strtod(fmt::format("{:.{}e}", value, digits - 1).c_str(), nullptr);
  const double magnitude = std::fabs(rounded);
  if (magnitude < 1e-5 || magnitude >= 1e9) return fmt::format("{:.{}e}", value, digits - 1);
  const int before_point = static_cast<int>(std::floor(std::log10(magnitude))) + 1;
  return fmt::format("{:.{}f}", value, std::max(0, digits - before_point));
}

std::string duration(double ms, int digits) {
  if (ms == 0) return "0 ms";
  constexpr std::array<Scale, 4> kScales{{{1e3, "s"}, {1.0, "ms"}, {1e-3, "µs"}, {1e-6, "ns"}}};
  return scaled(ms, kScales, digits);
}

std::string bytes(double count, int digits) {
  constexpr std::array<Scale, 5> kScales{
      {{0x1p40, "TiB"}, {0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"}, {1.0, "B"}}};
  return scaled(count, kScales, digits);
}

std::string bandwidth(double bytes_per_second, int digits) {
  constexpr std::array<Scale, 5> kScales{{{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "kB/s"}, {1.0, "B/s"}}};
  return scaled(bytes_per_second, kScales, digits);
}

std::string percent(double fraction) { return significant(fraction * 100) + " %"; }

std::string signed_percent(double fraction) {
  const auto text = percent(fraction);
  return fraction > 0 ? fmt::format("+{}", text) : text;
}

std::string quantity(double value, const std::string& unit, int digits) {
  if (unit == "ms") return duration(value, digits);
  if (unit == "B") return bytes(value, digits);
  if (unit == "B/s") return bandwidth(value, digits);
  if (unit == "1" || unit.empty()) return significant(value, digits);
  return fmt::format("{} {}", significant(value, digits), unit);
}

std::vector<std::string> distinct(std::span<const double> values, const std::string& unit) {
  std::vector<std::string> texts(values.size());
  const auto alike = [&] {
    for (std::size_t i = 0; i < values.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (values[i] != values[j] && texts[i] == texts[j]) return true;
    return false;
  };
  constexpr int kFewest = 4, kAll = 17;  // with 17 digits every double has a text of its own
  for (int digits = kFewest; digits <= kAll; ++digits) {
    for (std::size_t i = 0; i < values.size(); ++i)
      texts[i] = without_trailing_zeros(quantity(values[i], unit, digits));
    if (!alike()) return texts;
  }
  // Another unit's scale can round two neighbouring doubles to one.
  for (std::size_t i = 0; i < values.size(); ++i)
    texts[i] = unit == "1" ? fmt::format("{}", values[i]) : fmt::format("{} {}", values[i], unit);
  return texts;
}

}  // namespace gonogo::reports
