// From paired values to a decision per metric: a pure function. Source: docs/measuring.md, "Comparing runs".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/metric.hpp"
#include "harness/stats/bootstrap.hpp"
#include "harness/stats/p_value.hpp"

namespace gonogo::reports {

/// One metric over the blocks of a session.
struct PairedMetric {
  std::string name = {};
  std::string unit = {};
  record::Better better = record::Better::lower;
  std::vector<double> a = {}, b = {};
  double floor = 0;         // size of the log-ratio that identical code showed; 0: none is known
  std::string fault = {};   // why there are no values: a run without it, a failed row
  bool unmeasured = false;  // the fault is no failure: the run says that it does not measure this
};

struct DecisionRule {
  double alpha = 0.05;          // of the family: Holm
  double practical = 0.01;      // relative
  double floor_times = 2;       // k: the threshold is max(practical, k x floor)
  double timer_floor_ns = 500;  // absolute changes of times below this are the timer's
  double power = 0.8;           // of the minimum detectable effect
  std::uint64_t seed = 1;
};

enum class Call { regression, improvement, unchanged, inconclusive, failed };
[[nodiscard]] std::string_view name_of(Call call);

/// Relative numbers are b / a - 1: positive when b is larger, whatever is better.
struct Decision {
  std::string name, unit;
  record::Better better = record::Better::lower;
  Call call = Call::inconclusive;
  std::string reason;
  std::size_t blocks = 0;
  std::optional<double> a, b;               // medians
  std::optional<double> change;             // of the mean log-ratio over both orders
  std::optional<stats::Interval> interval;  // 95 % at alpha 5 %
  std::optional<stats::PValue> p;           // sign-flip, two-sided
  std::optional<double> p_holm;
  double threshold = 0;  // max(practical, k x floor), relative
  double floor = 0;
  std::optional<double> stddev;        // of one block's log-ratio
  std::optional<double> order_effect;  // what going second costs, relative
  std::optional<double> detectable;    // the smallest true change this session finds with the rule's power
  std::optional<std::size_t> settles;  // blocks that would decide an inconclusive row, if the estimate stays
};

/// A regression (improvement) needs all of: the whole interval beyond the threshold, the sign-flip p within alpha after
/// Holm's correction over all metrics, an absolute change beyond the timer's floor. Unchanged: the whole interval
/// within the threshold. Anything else is inconclusive. `orders` as orders_of().
[[nodiscard]] std::vector<Decision> decide(std::span<const PairedMetric> metrics, std::span<const std::uint8_t> orders,
                                           const DecisionRule& rule);

}  // namespace gonogo::reports
