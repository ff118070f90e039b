#include "reports/render/bars.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gonogo::reports {
namespace {
constexpr std::array<const char*, 9> kEighthsAcross{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
constexpr std::array<const char*, 8> kEighthsUp{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
}  // namespace

std::string bar(double value, double largest, std::size_t width) {
  if (!std::isfinite(value) || !std::isfinite(largest) || value <= 0 || largest <= 0) return "";
  const double share = std::min(1.0, value / largest);
  const auto eighths =
      std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(share * static_cast<double>(width) * 8)));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += kEighthsAcross[8];
  return text + kEighthsAcross[eighths % 8];
}

std::string sparkline(std::span<const std::optional<double>> values) {
  std::optional<double> low, high;
  for (const auto& value : values)
    if (value && std::isfinite(*value)) {
      low = std::min(low.value_or(*value), *value);
      high = std::max(high.value_or(*value), *value);
    }
  std::string text;
  for (const auto& value : values) {
    if (!value || !std::isfinite(*value)) {
      text += ' ';
    } else if (*high == *low) {
      text += kEighthsUp[3];
    } else {
      text += kEighthsUp[static_cast<std::size_t>(std::lround((*value - *low) / (*high - *low) * 7))];
    }
  }
  return text;
}

}  // namespace gonogo::reports
