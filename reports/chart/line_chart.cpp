#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "reports/chart/chart.hpp"
#include "reports/chart/svg.hpp"
#include "reports/render/numbers.hpp"

namespace gonogo::reports {
namespace {

using chart::kWidth;
using chart::text_at;

constexpr double kLeft = 52, kRight = 14, kPlot = 170;

struct Frame {
  double x_low = std::numeric_limits<double>::infinity(), x_high = -std::numeric_limits<double>::infinity();
  double y_low = 0, y_high = 0;
  double top = 0;
  [[nodiscard]] double x(double value) const {
    const double span = x_high > x_low ? x_high - x_low : 1;
    return kLeft + (value - x_low) / span * (kWidth - kLeft - kRight);
  }
  [[nodiscard]] double y(double value) const { return top + (y_high - value) / (y_high - y_low) * kPlot; }
};

std::vector<std::pair<double, double>> finite(const ChartSeries& series) {
  std::vector<std::pair<double, double>> points;
  for (const auto& [x, y] : series.points)
    if (std::isfinite(x) && std::isfinite(y)) points.emplace_back(x, y);
  return points;
}

// Entries side by side, broken into lines; `y` moves below them.
std::string legend(const LineChart& chart, double& y) {
  std::string text;
  double x = 0;
  for (const ChartSeries& series : chart.series) {
    const double wide = 24 + chart::text_width(series.name) + 12;
    if (x > 0 && x + wide > kWidth) {
      x = 0;
      y += 17;
    }
    text += fmt::format("<path class=\"curve s{}{}\" d=\"M{:.1f} {:.1f}h16\"/>", series.colour % kChartColours,
                        series.dashed ? " dashed" : "", x, y - 4);
    text += text_at("ink", x + 21, y, "start", chart::cut(series.name, kWidth - 24));
    x += wide;
  }
  return text;
}

std::string axes(const LineChart& chart, const Frame& frame, const std::vector<double>& ticks) {
  std::string text;
  for (const double tick : ticks) {
    const double y = frame.y(tick);
    text += fmt::format("<path class=\"axis\" d=\"M{} {:.1f}H{}\"/>", kLeft, y, kWidth - kRight);
    text += text_at("", kLeft - 6, y + 4, "end", fmt::format("{:.6g}", tick));
  }
  std::set<double> xs;
  for (const ChartSeries& series : chart.series)
    for (const auto& [x, unused] : finite(series)) xs.insert(x);
  double taken = -1e9;
  for (const double value : xs) {
    const auto label = fmt::format("{:.6g}", value);
    const double x = frame.x(value), half = chart::text_width(label) / 2;
    if (x - half < taken + 5) continue;
    text += text_at("", std::min(x, kWidth - half), frame.top + kPlot + 17, "middle", label);
    taken = x + half;
  }
  text += text_at("", (kLeft + kWidth - kRight) / 2, frame.top + kPlot + 34, "middle", chart.x_name);
  return text;
}

std::string curve(const ChartSeries& series, const Frame& frame, const LineChart& chart) {
  const auto points = finite(series);
  const auto colour = series.colour % kChartColours;
  std::string path, marks;
  for (const auto& [x, y] : points) {
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", frame.x(x), frame.y(y));
    marks += fmt::format(
        "<g class=\"mark\"><title>{}</title><circle class=\"hit\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"10\"/>"
        "<circle class=\"f{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"/></g>",
        escaped(fmt::format("{}, {} {:.6g}: {}", series.name, chart.x_name, x, quantity(y, chart.unit))), frame.x(x),
        frame.y(y), colour, frame.x(x), frame.y(y));
  }
  return fmt::format("<path class=\"curve s{}{}\" d=\"{}\"/>{}", colour, series.dashed ? " dashed" : "", path, marks);
}

}  // namespace

std::string svg(const LineChart& chart) {
  Frame frame;
  for (const ChartSeries& series : chart.series)
    for (const auto& [x, y] : finite(series)) {
      frame.x_low = std::min(frame.x_low, x);
      frame.x_high = std::max(frame.x_high, x);
      frame.y_low = std::min(frame.y_low, y);
      frame.y_high = std::max(frame.y_high, y);
    }
  double y = 34;
  if (!std::isfinite(frame.x_low))
    return chart::framed(chart.title, 44, text_at("", 0, y, "start", "Nothing of this was measured."));
  for (const ChartRule& rule : chart.rules) frame.y_high = std::max(frame.y_high, rule.value);
  const auto ticks = chart::round_ticks(frame.y_low, frame.y_high, 4);
  frame.y_low = ticks.front();
  frame.y_high = ticks.back();
  std::string body = legend(chart, y);
  body += text_at("", 0, y + 20, "start", chart.unit == "1" ? "" : chart.unit);
  frame.top = y + 30;
  body += axes(chart, frame, ticks);
  for (const ChartRule& rule : chart.rules) {
    const double at = frame.y(rule.value);
    body += fmt::format("<path class=\"rule\" d=\"M{} {:.1f}H{}\"/>", kLeft, at, kWidth - kRight);
    body += text_at("halo", kLeft + 4, at - 4, "start", rule.label);
  }
  for (const ChartSeries& series : chart.series) body += curve(series, frame, chart);
  return chart::framed(chart.title, frame.top + kPlot + 42, body);
}

}  // namespace gonogo::reports
