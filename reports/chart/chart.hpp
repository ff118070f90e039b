// Charts as SVG: no script and no font needed, colours by class so that a page or the file's own style themes them.
// Natural width 380; every mark carries its value as a <title>.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gonogo::reports {

/// A reference line across the chart.
struct ChartRule {
  double value = 0;
  std::string label;
};

struct ChartSeries {
  std::string name;
  std::vector<std::pair<double, double>> points;  // by x; not finite ones are left out
  bool dashed = false;
  std::size_t colour = 0;  // of kChartColours
};

struct LineChart {
  std::string title;
  std::string x_name;
  std::string unit;  // of y, as quantity() takes it
  std::vector<ChartSeries> series;
  std::vector<ChartRule> rules;
};

struct ChartBar {
  std::string label;
  std::optional<double> value;
  std::string text;  // the value in words, or why there is none
  std::size_t colour = 0;
};
struct BarChart {
  std::string title;
  std::vector<ChartBar> bars;
  std::vector<ChartRule> rules;
};

/// Parts of a whole, side by side.
struct StripPart {
  std::string name;
  double amount = 0;
  std::size_t colour = 0;
};
struct Strip {
  std::string title;
  std::vector<StripPart> parts;
};

inline constexpr std::size_t kChartColours = 7;  // classes c0..c6; c6 is a neutral grey

/// One <svg> element each. A chart without anything to draw says so in words.
[[nodiscard]] std::string svg(const LineChart& chart);
[[nodiscard]] std::string svg(const BarChart& chart);
[[nodiscard]] std::string svg(const Strip& strip);

/// The style that the classes need, for light and dark.
[[nodiscard]] std::string_view chart_style();

/// Several charts under each other as a file of its own, its style inside.
[[nodiscard]] std::string svg_file(const std::vector<std::string>& charts);

/// Text for XML and HTML: markup escaped, control characters and what XML cannot hold replaced by blanks.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace gonogo::reports
