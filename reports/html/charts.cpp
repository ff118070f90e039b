#include "reports/html/charts.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "reports/chart/chart.hpp"
#include "reports/render/numbers.hpp"

namespace gonogo::reports::html {
namespace {

const Json& metrics_of(const ChartStep& step) { return step.record->at("stacks").at(step.stack).at("metrics"); }

// (number of the label, value) of base/.../key=*/...; `others` are the other labels.
std::vector<std::pair<double, double>> points_of(const Json& metrics, const std::string& base, const std::string& key,
                                                 const std::string& others) {
  std::vector<std::pair<double, double>> points;
  for (const auto& value : label_values(metrics, base, key, others)) {
    const auto own = fmt::format("{}={}", key, value);
    const auto name = others.empty() ? fmt::format("{}/{}", base, own)
                      : key < others ? fmt::format("{}/{}/{}", base, own, others)
                                     : fmt::format("{}/{}/{}", base, others, own);
    if (const auto one = figure(metrics, name); one.value)
      points.emplace_back(std::strtod(value.c_str(), nullptr), *one.value);
  }
  std::sort(points.begin(), points.end());
  return points;
}

// One colour an operator, the same in every strip; green is what is captured.
class OperatorColours {
 public:
  std::size_t of(const std::string& op) {
    constexpr std::array<std::size_t, 5> kColours{4, 1, 3, 5, 0};
    const auto found = std::find(seen_.begin(), seen_.end(), op);
    const auto at = static_cast<std::size_t>(found - seen_.begin());
    if (found == seen_.end()) seen_.push_back(op);
    return at < kColours.size() ? kColours[at] : 6;
  }

 private:
  std::vector<std::string> seen_;
};

void add_series(LineChart& chart, ChartSeries series) {
  if (!series.points.empty()) chart.series.push_back(std::move(series));
}

}  // namespace

std::vector<ChartStep> drawn(const std::vector<ChartStep>& steps) {
  constexpr std::size_t kMost = 6;
  if (steps.size() <= kMost) return steps;
  std::vector<ChartStep> chosen{steps.front()};
  chosen.insert(chosen.end(), steps.end() - (kMost - 1), steps.end());
  return chosen;
}

std::string m_scaling_chart(const std::vector<ChartStep>& steps, const Arc& arc) {
  LineChart chart{.title = fmt::format("Forward over M rows, past {}", arc.past),
                  .x_name = "M",
                  .unit = "ms",
                  .series = {},
                  .rules = {}};
  const auto past = "past=" + arc.past;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Json& metrics = metrics_of(steps[i]);
    const auto time = arc.time_name + "_ms";
    auto captured = points_of(metrics, "verify." + time, "m", past);
    if (const auto one = figure(metrics, fmt::format("decode.{}/{}", time, past)); one.value)
      captured.insert(captured.begin(), {1.0, *one.value});
    add_series(chart, {.name = steps[i].name + " captured", .points = std::move(captured), .colour = i});
    add_series(chart, {.name = steps[i].name + " eager",
                       .points = points_of(metrics, "eager." + time, "m", past),
                       .dashed = true,
                       .colour = i});
  }
  return svg(chart);
}

std::string bstar_chart(const std::vector<ChartStep>& steps, const Arc& arc) {
  LineChart chart{
      .title = fmt::format("B* over M, past {}", arc.past), .x_name = "M", .unit = "1", .series = {}, .rules = {}};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    auto points = points_of(metrics_of(steps[i]), "bstar.verify", "m", "past=" + arc.past);
    if (!points.empty()) points.insert(points.begin(), {1.0, 1.0});  // by definition
    add_series(chart, {.name = steps[i].name, .points = std::move(points), .colour = i});
  }
  if (!chart.series.empty())
    for (const auto& [name, value] : arc.bounds)
      chart.rules.push_back({value, fmt::format("{} {:.6g} at M={}", name, value, arc.m)});
  return svg(chart);
}

std::string prefill_chart(const std::vector<ChartStep>& steps) {
  LineChart chart{
      .title = "Prefill over prompt length", .x_name = "prompt tokens", .unit = "tok/s", .series = {}, .rules = {}};
  for (std::size_t i = 0; i < steps.size(); ++i)
    add_series(
        chart,
        {.name = steps[i].name, .points = points_of(metrics_of(steps[i]), "prefill.tok_per_s", "l", ""), .colour = i});
  if (!chart.series.empty())
    if (const auto limit = figure(metrics_of(steps.back()), "prefill.marginal_tok_per_s");
        limit.value && *limit.value > 0) {
      chart.title = "Prefill against the ceiling of its slope";
      chart.rules.push_back({*limit.value, fmt::format("{}: {} without its fixed part", steps.back().name,
                                                       quantity(*limit.value, "tok/s"))});
    }
  return svg(chart);
}

std::vector<std::string> seam_strips(const std::vector<ChartStep>& steps, std::int64_t m) {
  std::vector<std::string> strips;
  OperatorColours colours;
  for (const ChartStep& step : steps) {
    const Json& probes = step.record->at("probes");
    if (!probes.is_object() || !probes.contains("seams")) continue;
    for (const Json& one : list_or_empty(probes["seams"], step.stack.c_str())) {
      if (number_or(one, "m", 0) != static_cast<double>(m)) continue;
      const auto nodes = figure(metrics_of(step), fmt::format("capture.graph_nodes/m={}", m));
      const double segments = number_or(one, "segments", 0);
      Strip strip{.title = fmt::format("{}: {:.6g} captured segment{}", step.name, segments, segments == 1 ? "" : "s"),
                  .parts = {}};
      if (nodes.value && *nodes.value > 0) strip.parts.push_back({"captured steps", *nodes.value, 2});
      for (const Json& seam : list_or_empty(one, "seams")) {
        const auto op = text_or(seam, "op", "?"), reason = text_or(seam, "reason", "unstated");
        strip.parts.push_back({reason == "unstated" ? op : fmt::format("{} [{}]", op, reason),
                               std::max(0.0, number_or(seam, "count", 0)), colours.of(op)});
      }
      if (strip.parts.empty()) strip.parts.push_back({"no eager step", 1, 2});
      strips.push_back(svg(strip));
    }
  }
  return strips;
}

}  // namespace gonogo::reports::html
