#include "reports/predict/predict.hpp"

#include <fmt/format.h>

#include "harness/core/error.hpp"

namespace gonogo::reports {
namespace {

double drafting(std::int64_t k, const Overheads& overheads) {
  return overheads.per_verify + overheads.per_token * static_cast<double>(k);
}

Prediction predict(std::int64_t k, const Cost& cost, const Committed& tokens, const Overheads& overheads) {
  Prediction row{.k = k,
                 .cost = cost,
                 .committed = tokens,
                 .speed_up = speed_up(tokens.mean, cost.value, k, overheads),
                 .break_even = break_even_committed(cost.value, k, overheads)};
  if (tokens.half_width) {
    row.speed_up_low = speed_up(tokens.mean - *tokens.half_width, cost.value, k, overheads);
    row.speed_up_high = speed_up(tokens.mean + *tokens.half_width, cost.value, k, overheads);
  }
  row.break_even_rate = rate_for(row.break_even, k);
  return row;
}

}  // namespace

std::optional<Cost> cost_at(const CostCurve& curve, std::int64_t m) {
  for (std::size_t i = 0; i < curve.size(); ++i) {
    if (curve[i].m == m) return Cost{curve[i].cost, true};
    if (curve[i].m < m || i == 0) continue;
    const WidthCost &low = curve[i - 1], &high = curve[i];
    const double share = static_cast<double>(m - low.m) / static_cast<double>(high.m - low.m);
    return Cost{low.cost + share * (high.cost - low.cost), false};
  }
  return std::nullopt;
}

double speed_up(double committed, double cost, std::int64_t k, const Overheads& overheads) {
  const double p = overheads.engaged;
  return (p * committed + (1 - p)) / (p * (cost + drafting(k, overheads)) + (1 - p) * (1 + overheads.idle));
}

double break_even_committed(double cost, std::int64_t k, const Overheads& overheads) {
  const double p = overheads.engaged;
  return cost + drafting(k, overheads) + (1 - p) / p * overheads.idle;
}

Forecast forecast(const CostCurve& curve, const Acceptance& acceptance, const Overheads& overheads) {
  GONOGO_EXPECT(!curve.empty() && curve.front().m == 1, "a curve starts at width 1");
  Forecast result;
  double best = 1;
  for (std::int64_t k = 1; k < curve.back().m; ++k) {
    const auto tokens = committed(acceptance, k);
    const auto cost = cost_at(curve, k + 1);
    if (!tokens || !cost) continue;
    result.rows.push_back(predict(k, *cost, *tokens, overheads));
    if (result.rows.back().speed_up > best) {
      best = result.rows.back().speed_up;
      result.best = k;
    }
  }
  if (result.rows.empty())
    throw core::UsageError(
        fmt::format("no draft length is both measured (widths up to {}) and in the histogram (up to {})",
                    curve.back().m, static_cast<std::int64_t>(acceptance.histogram.size()) - 1));
  if (acceptance.rate)
    result.notes.emplace_back(
        "A rate takes every token to be accepted by chance alike; a histogram of a trace does not.");
  else if (static_cast<std::int64_t>(acceptance.histogram.size()) < curve.back().m)
    result.notes.push_back(fmt::format("The histogram is of {} drafted tokens: longer drafts are not predicted.",
                                       acceptance.histogram.size() - 1));
  return result;
}

}  // namespace gonogo::reports
