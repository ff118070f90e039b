#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/chart/chart.hpp"
#include "reports/chart/svg.hpp"

namespace gonogo::reports {
namespace {

using chart::kWidth;
using chart::text_at;

constexpr double kRow = 36, kThick = 12;

double largest(const BarChart& chart) {
  double high = 0;
  for (const ChartBar& bar : chart.bars)
    if (bar.value && std::isfinite(*bar.value)) high = std::max(high, *bar.value);
  for (const ChartRule& rule : chart.rules) high = std::max(high, rule.value);
  return high;
}

}  // namespace

// Label and value stand above their bar: long names need no margin, and a narrow screen keeps them legible.
std::string svg(const BarChart& chart) {
  const double high = largest(chart);
  double y = 24 + (chart.rules.empty() ? 0 : 18);
  const double top = y;
  const auto x = [&](double value) { return high > 0 ? std::clamp(value / high, 0.0, 1.0) * (kWidth - 2) : 0.0; };
  std::string body;
  for (const ChartBar& bar : chart.bars) {
    const double room = kWidth - chart::text_width(bar.text) - 10;
    body += "<g class=\"mark\">";
    body += fmt::format("<title>{}: {}</title>", escaped(bar.label), escaped(bar.text));
    body += fmt::format("<rect class=\"hit\" x=\"0\" y=\"{:.1f}\" width=\"{}\" height=\"{}\"/>", y, kWidth, kRow);
    body += text_at("ink halo", 0, y + 13, "start", chart::cut(bar.label, room));
    body += text_at(bar.value ? "ink halo" : "halo", kWidth, y + 13, "end", chart::cut(bar.text, kWidth - 60));
    if (bar.value && std::isfinite(*bar.value) && *bar.value > 0)
      body += fmt::format("<rect class=\"f{}\" x=\"0\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" rx=\"2\"/>",
                          bar.colour % kChartColours, y + 18, std::max(1.0, x(*bar.value)), kThick);
    body += "</g>";
    y += kRow;
  }
  double taken = -1e9;
  std::string rules;
  for (const ChartRule& rule : chart.rules) {
    const double at = x(rule.value), half = chart::text_width(rule.label) / 2;
    rules += fmt::format("<path class=\"rule\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>", at, top - 4, y);
    const double centre = std::clamp(at, half, kWidth - half);
    if (centre - half < taken + 6) continue;
    rules += text_at("", centre, top - 8, "middle", rule.label);
    taken = centre + half;
  }
  if (chart.bars.empty()) {
    body = text_at("", 0, y + 10, "start", "Nothing of this was measured.");
    y += 20;
  }
  return chart::framed(chart.title, y + 2, rules + body);
}

}  // namespace gonogo::reports
