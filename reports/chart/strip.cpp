#include <fmt/format.h>

#include <numeric>

#include "reports/chart/chart.hpp"
#include "reports/chart/svg.hpp"

namespace gonogo::reports {

std::string svg(const Strip& strip) {
  using chart::kWidth;
  const double whole = std::accumulate(strip.parts.begin(), strip.parts.end(), 0.0,
                                       [](double sum, const StripPart& part) { return sum + part.amount; });
  double y = 22;
  if (!(whole > 0))
    return chart::framed(strip.title, 42, chart::text_at("", 0, 34, "start", "Nothing of this was measured."));
  std::string bars, legend;
  double x = 0;
  for (const StripPart& part : strip.parts) {
    const double width = part.amount / whole * kWidth;
    bars += fmt::format(
        "<g class=\"mark\"><title>{}: {:.6g} of {:.6g}</title>"
        "<rect class=\"f{}\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"18\"/></g>",
        escaped(part.name), part.amount, whole, part.colour % kChartColours, x, y, width);
    x += width;
  }
  y += 18;
  for (const StripPart& part : strip.parts) {
    y += 18;
    legend += fmt::format("<rect class=\"f{}\" x=\"0\" y=\"{:.1f}\" width=\"10\" height=\"10\" rx=\"2\"/>",
                          part.colour % kChartColours, y - 9);
    const auto count = fmt::format("{:.6g}", part.amount);
    legend += chart::text_at("ink", 16, y, "start", chart::cut(part.name, kWidth - 16 - 70));
    legend += chart::text_at("ink", kWidth, y, "end", count);
  }
  return chart::framed(strip.title, y + 8, bars + legend);
}

}  // namespace gonogo::reports
