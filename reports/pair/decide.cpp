#include "reports/pair/decide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "harness/core/error.hpp"
#include "harness/stats/multiple.hpp"
#include "harness/stats/paired.hpp"
#include "harness/stats/power.hpp"
#include "harness/stats/summary.hpp"

namespace gonogo::reports {
namespace {

// Nanoseconds per unit; only times have a timer.
std::optional<double> nanoseconds(const std::string& unit) {
  static const std::map<std::string, double> kUnits = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  const auto found = kUnits.find(unit);
  return found == kUnits.end() ? std::nullopt : std::optional(found->second);
}

std::string fault_of(const PairedMetric& metric) {
  if (!metric.fault.empty()) return metric.fault;
  for (std::size_t block = 0; block < metric.a.size(); ++block)
    for (const auto& [arm, values] : {std::pair("a", &metric.a), std::pair("b", &metric.b)})
      if (!std::isfinite((*values)[block]) || (*values)[block] <= 0)
        return fmt::format("not comparable: {} is {} {} in block {}", arm, (*values)[block], metric.unit, block + 1);
  return "";
}

// The numbers, without a call.
Decision measure(const PairedMetric& metric, std::span<const std::uint8_t> orders, const DecisionRule& rule) {
  Decision row{.name = metric.name, .unit = metric.unit, .better = metric.better, .reason = {}};
  row.blocks = metric.a.size();
  row.floor = metric.floor;
  row.threshold = std::max(rule.practical, std::expm1(rule.floor_times * metric.floor));
  row.reason = fault_of(metric);
  if (!row.reason.empty()) {
    row.call = metric.unmeasured ? Call::inconclusive : Call::failed;
    return row;
  }
  row.a = stats::median(metric.a);
  row.b = stats::median(metric.b);
  const auto ratios = stats::log_ratios(metric.a, metric.b);
  GONOGO_EXPECT(ratios.has_value(), metric.name);
  const stats::PairedSample sample{*ratios, orders};
  const auto summary = stats::summarize_pairs(sample);
  row.stddev = summary.stddev;
  row.order_effect = summary.order_effect;
  if (summary.mean) row.change = std::expm1(*summary.mean);
  row.p = stats::sign_flip(*ratios, {.seed = rule.seed});
  const auto interval = stats::paired_interval(sample, {.confidence = 1 - rule.alpha, .seed = rule.seed});
  if (interval) row.interval = stats::Interval{std::expm1(interval->low), std::expm1(interval->high)};
  return row;
}

void correct_for_many(std::vector<Decision>& rows) {
  std::vector<double> p_values;
  for (const Decision& row : rows)
    if (row.p) p_values.push_back(row.p->p);
  const auto adjusted = stats::holm(p_values);
  std::size_t next = 0;
  for (Decision& row : rows)
    if (row.p) row.p_holm = adjusted[next++];
}

bool beyond_timer(const Decision& row, const DecisionRule& rule) {
  const auto unit = nanoseconds(row.unit);
  return !unit || std::abs(*row.b - *row.a) * *unit > rule.timer_floor_ns;
}

// What this session could have found, and what would settle an open row.
void add_power(Decision& row, const DecisionRule& rule, std::size_t family) {
  if (!row.stddev) return;
  const double band = std::log1p(row.threshold);
  const stats::Power alone{.level = rule.alpha, .power = rule.power};
  const stats::Power corrected{.level = rule.alpha / static_cast<double>(family), .power = rule.power};
  const auto beyond_band = stats::minimum_detectable_effect(*row.stddev, row.blocks, alone);
  const auto beyond_zero = stats::minimum_detectable_effect(*row.stddev, row.blocks, corrected);
  if (beyond_band && beyond_zero) row.detectable = std::expm1(std::max(band + *beyond_band, *beyond_zero));
  if (row.call != Call::inconclusive || !row.change) return;
  const double distance = std::abs(std::abs(std::log1p(*row.change)) - band);
  if (distance > 0) row.settles = stats::blocks_to_detect(*row.stddev, distance, corrected);
}

void call(Decision& row, const DecisionRule& rule) {
  if (!row.reason.empty()) return;  // it has no values
  if (!row.interval || !row.p_holm) {
    row.reason = fmt::format("{} blocks give no interval: at least {} are needed, two of each order", row.blocks,
                             stats::kFewestForInterval);
    return;
  }
  // Both directions in log space, so that a change and its undoing are treated alike.
  const double band = std::log1p(row.threshold);
  const double low = std::log1p(row.interval->low), high = std::log1p(row.interval->high);
  const bool larger = low > band, smaller = high < -band;
  if (low >= -band && high <= band) {
    row.call = Call::unchanged;
    row.reason = "the interval lies within the threshold";
  } else if (!larger && !smaller) {
    row.reason = "the interval crosses the threshold";
  } else if (*row.p_holm > rule.alpha) {
    row.reason = fmt::format("p = {:.3g} after Holm, wanted at most {:g}", *row.p_holm, rule.alpha);
  } else if (!beyond_timer(row, rule)) {
    row.reason = fmt::format("the change is below the timer's floor of {:g} ns", rule.timer_floor_ns);
  } else {
    row.call = larger == (row.better == record::Better::lower) ? Call::regression : Call::improvement;
    row.reason = "the interval lies beyond the threshold";
  }
}

}  // namespace

std::string_view name_of(Call call) {
  constexpr std::array<std::string_view, 5> kNames = {"regression", "improvement", "unchanged", "inconclusive",
                                                      "failed"};
  return kNames.at(static_cast<std::size_t>(call));
}

std::vector<Decision> decide(std::span<const PairedMetric> metrics, std::span<const std::uint8_t> orders,
                             const DecisionRule& rule) {
  std::vector<Decision> rows;
  for (const PairedMetric& metric : metrics) {
    GONOGO_EXPECT(metric.a.size() == metric.b.size(), metric.name);
    rows.push_back(measure(metric, orders.first(std::min(orders.size(), metric.a.size())), rule));
  }
  correct_for_many(rows);
  for (Decision& row : rows) {
    call(row, rule);
    if (row.call != Call::failed) add_power(row, rule, rows.size());
  }
  return rows;
}

}  // namespace gonogo::reports
