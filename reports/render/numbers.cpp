#include "reports/render/numbers.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace gonogo::reports {
namespace {

struct Scale {
  double factor;
  const char* unit;
};

// The largest scale in which the value, as printed, is at least 1; the smallest one otherwise.
template <std::size_t N>
std::string scaled(double value, const std::array<Scale, N>& scales) {
  if (!std::isfinite(value)) return "undefined";
  for (const Scale& scale : scales)
    if (std::fabs(value) >= scale.factor * 0.9995)
      return fmt::format("{} {}", significant(value / scale.factor), scale.unit);
  return fmt::format("{} {}", significant(value / scales.back().factor), scales.back().unit);
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

std::string duration(double ms) {
  if (ms == 0) return "0 ms";
  constexpr std::array<Scale, 4> kScales{{{1e3, "s"}, {1.0, "ms"}, {1e-3, "µs"}, {1e-6, "ns"}}};
  return scaled(ms, kScales);
}

std::string bytes(double count) {
  constexpr std::array<Scale, 5> kScales{
      {{0x1p40, "TiB"}, {0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"}, {1.0, "B"}}};
  return scaled(count, kScales);
}

std::string bandwidth(double bytes_per_second) {
  constexpr std::array<Scale, 5> kScales{{{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "kB/s"}, {1.0, "B/s"}}};
  return scaled(bytes_per_second, kScales);
}

std::string percent(double fraction) { return significant(fraction * 100) + " %"; }

std::string signed_percent(double fraction) {
  const auto text = percent(fraction);
  return fraction > 0 ? fmt::format("+{}", text) : text;
}

std::string quantity(double value, const std::string& unit) {
  if (unit == "ms") return duration(value);
  if (unit == "B") return bytes(value);
  if (unit == "B/s") return bandwidth(value);
  if (unit == "1" || unit.empty()) return significant(value);
  return significant(value) + " " + unit;
}

}  // namespace gonogo::reports
