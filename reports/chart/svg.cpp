#include "reports/chart/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/chart/chart.hpp"
#include "reports/render/width.hpp"

namespace gonogo::reports {
namespace {

// Height of the viewBox, as framed() wrote it.
double height_of(const std::string& svg) {
  const std::string mark = fmt::format("viewBox=\"0 0 {} ", chart::kWidth);
  const auto at = svg.find(mark);
  return at == std::string::npos ? 0 : std::strtod(svg.c_str() + at + mark.size(), nullptr);
}

constexpr std::string_view kStyle = R"(
.chart{--ink:#1f2328;--soft:#59636e;--line:#d1d9e0;--paper:#ffffff;--c0:#0b66d8;--c1:#c2570c;--c2:#1a7f37;--c3:#8250df;--c4:#cf222e;--c5:#0b7285;--c6:#818b98}
@media (prefers-color-scheme:dark){.chart{--ink:#e6edf3;--soft:#9aa4af;--line:#3d444d;--paper:#151b23;--c0:#6cb0ff;--c1:#ffa657;--c2:#56d364;--c3:#c297ff;--c4:#ff7b72;--c5:#39c5cf;--c6:#848d97}}
.chart text{font:12px system-ui,"DejaVu Sans",sans-serif;fill:var(--soft)}
.chart .ink{fill:var(--ink)}
.chart .head{fill:var(--ink);font-weight:600;font-size:13px}
.chart .axis{stroke:var(--line);stroke-width:1;fill:none}
.chart .rule{stroke:var(--soft);stroke-width:1;stroke-dasharray:2 3;fill:none}
.chart .halo{paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}
.chart .curve{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}
.chart .dashed{stroke-dasharray:5 4}
.chart .hit{fill:transparent;stroke:none}
.chart .s0{stroke:var(--c0)}.chart .s1{stroke:var(--c1)}.chart .s2{stroke:var(--c2)}.chart .s3{stroke:var(--c3)}
.chart .s4{stroke:var(--c4)}.chart .s5{stroke:var(--c5)}.chart .s6{stroke:var(--c6)}
.chart .f0{fill:var(--c0)}.chart .f1{fill:var(--c1)}.chart .f2{fill:var(--c2)}.chart .f3{fill:var(--c3)}
.chart .f4{fill:var(--c4)}.chart .f5{fill:var(--c5)}.chart .f6{fill:var(--c6)}
.chart .sheet{fill:var(--paper)}
)";

}  // namespace

std::string_view chart_style() { return kStyle; }

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '&') {
      result += "&amp;";
    } else if (c == '"') {
      result += "&quot;";
    } else if (c == '\'') {
      result += "&#39;";
    } else {
      result += byte < 0x20 || byte == 0x7F ? ' ' : c;
    }
  }
  return result;
}

std::string svg_file(const std::vector<std::string>& charts) {
  constexpr double kGap = 16;
  std::string body;
  double y = kGap;
  for (const auto& chart : charts) {
    body += fmt::format("<g transform=\"translate({},{:.0f})\">", kGap, y);
    const double height = height_of(chart);
    std::string placed = chart;
    // A nested <svg> needs its size said, for it has no page to take it from.
    placed.replace(0, 4, fmt::format("<svg width=\"{}\" height=\"{:.0f}\"", chart::kWidth, height));
    body += placed + "</g>\n";
    y += height + kGap;
  }
  const double width = chart::kWidth + 2 * kGap;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" width=\"{0}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0} {1:.0f}\"><style>{2}</style><rect class=\"sheet\" width=\"{0}\" height=\"{1:.0f}\"/>\n{3}"
      "</svg>\n",
      width, y, kStyle, body);
}

namespace chart {

std::string framed(const std::string& title, double height, const std::string& body) {
  return fmt::format("<svg class=\"chart\" viewBox=\"0 0 {} {:.0f}\" role=\"img\" aria-label=\"{}\">{}{}</svg>", kWidth,
                     height, escaped(title), text_at("head", 0, 13, "start", cut(title, kWidth * 0.86)), body);
}

std::string text_at(std::string_view classes, double x, double y, std::string_view anchor, const std::string& text) {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", classes, x, y, anchor,
                     escaped(text));
}

std::vector<double> round_ticks(double low, double high, int wanted) {
  low = std::min(low, 0.0);
  if (!(high > low)) high = low + 1;
  const double rough = (high - low) / wanted, power = std::pow(10, std::floor(std::log10(rough)));
  const double share = rough / power;
  const double step = power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
  std::vector<double> ticks;
  const auto first = static_cast<int>(std::floor(low / step + 1e-9));
  for (int i = first; ticks.empty() || ticks.back() < high - step * 1e-9; ++i) ticks.push_back(i * step);
  return ticks;
}

double text_width(std::string_view text) { return 7.6 * static_cast<double>(display_width(text)); }

std::string cut(const std::string& text, double width) {
  if (text_width(text) <= width) return text;
  std::string shorter = text;
  while (!shorter.empty() && text_width(shorter) + 7 > width) {
    // A UTF-8 character goes as a whole.
    while (!shorter.empty() && (static_cast<unsigned char>(shorter.back()) & 0xC0U) == 0x80U) shorter.pop_back();
    if (!shorter.empty()) shorter.pop_back();
  }
  return shorter + "…";
}

}  // namespace chart
}  // namespace gonogo::reports
