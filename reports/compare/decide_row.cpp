#include "reports/compare/decide_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/stats/distributions.hpp"
#include "harness/stats/paired.hpp"
#include "harness/stats/power.hpp"
#include "harness/stats/rank_sum.hpp"
#include "harness/stats/sign_flip.hpp"
#include "harness/stats/summary.hpp"
#include "reports/render/numbers.hpp"

namespace gonogo::reports {
namespace {

using record::Better;
using record::Status;

constexpr double kShortestTimeMs = 1e-9;  // a femtosecond is no measured time
constexpr double kMostNeeded = 1e6;

bool is_time(const std::string& unit) { return unit == "ms"; }
bool has_no_value(Status status) { return status == Status::skipped || status == Status::unmeasured; }

// e^x - 1 where a double can hold it.
std::optional<double> relative(double log_ratio) {
  const double value = std::expm1(log_ratio);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// 1 when larger is worse.
double sign_of(Better better) { return better == Better::higher ? -1 : 1; }

void settle(RowCase& weighed, Finding finding, std::string reason) {
  weighed.row.finding = finding;
  weighed.row.reason = std::move(reason);
}

RowCase start(const SideRow& any) {
  RowCase weighed;
  weighed.row.name = any.row->name;
  weighed.row.metric = any.row->metric;
  weighed.row.unit = any.row->unit;
  weighed.row.device = any.row->device;
  weighed.row.model = any.row->model;
  weighed.row.levers = any.row->levers;
  weighed.row.better = any.row->better;
  return weighed;
}

std::string why(const SideRow& side) {
  return fmt::format("{}: {}", name_of(side.status), side.reason.empty() ? "no reason was given" : side.reason);
}

// Rows without values on one side or both; whether that settles them.
bool settled_by_status(RowCase& weighed, const SideRow& base, const SideRow& cand) {
  if (base.status == Status::ok && cand.status == Status::ok) return false;
  if (has_no_value(base.status) && has_no_value(cand.status)) {
    settle(weighed, Finding::skipped, why(cand));
  } else if (cand.status == Status::failed || cand.status == Status::invalid) {
    settle(weighed, Finding::failed, why(cand));
  } else if (cand.status != Status::ok) {
    settle(weighed, Finding::missing, fmt::format("it had a value and is {}", why(cand)));
  } else {
    settle(weighed, Finding::added, fmt::format("the base has none: {}", why(base)));
  }
  return true;
}

// A value no ratio can be made of; whether there is one.
bool settled_by_value(RowCase& weighed, const SideRow& base, const SideRow& cand) {
  const double least = is_time(weighed.row.unit) ? kShortestTimeMs : 0;
  for (const auto& [side, name] : {std::pair(&base, "base"), std::pair(&cand, "candidate")})
    for (const double value : side->values)
      if (!(value > least)) {
        const std::string shown = value == 0 ? "0" : fmt::format("{:g} {}", value, weighed.row.unit);
        settle(weighed, Finding::invalid,
               fmt::format("not comparable: the {} is {} ({})", name, shown, side->row->place));
        return true;
      }
  return false;
}

// Counts: the sides' ranges apart is a change, whatever its size.
void decide_exact(RowCase& weighed, const SideRow& base, const SideRow& cand) {
  const auto [base_low, base_high] = std::minmax_element(base.values.begin(), base.values.end());
  const auto [cand_low, cand_high] = std::minmax_element(cand.values.begin(), cand.values.end());
  const double sign = sign_of(weighed.row.better);
  if (*base.row->samples.begin() > 0 && *cand_low > 0) weighed.row.worse = sign * std::log(*cand_low / *base_high);
  if (*cand_low > *base_high || *cand_high < *base_low) {
    const bool larger = *cand_low > *base_high;
    if (*base_high != 0) weighed.row.change = *weighed.row.cand / *weighed.row.base - 1;
    if (weighed.row.better == Better::none)
      return settle(weighed, Finding::ungated, "a count changed, and nobody said which way is better");
    const bool worse = larger == (sign > 0);
    return settle(
        weighed, worse ? Finding::regression : Finding::improvement,
        fmt::format("a count: {} -> {}", significant(*weighed.row.base, 6), significant(*weighed.row.cand, 6)));
  }
  settle(weighed, Finding::unchanged, "the same count");
}

// Both sides as log-values, larger being worse.
std::vector<double> worsening(const std::vector<double>& values, double sign, double shift) {
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double value : values) logs.push_back(sign * std::log(value) - shift);
  return logs;
}

struct Test {
  double estimate = 0;                      // log-ratio, cand / base
  std::optional<stats::Interval> interval;  // of it
  double p = 1;                             // two-sided, of a change beyond the limit
};

Test test_unpaired(const SideRow& base, const SideRow& cand, double limit, const ComparePolicy& policy, double sign) {
  const auto ratio = stats::unpaired_log_ratio(base.values, cand.values, 1 - policy.alpha);
  Test test{.estimate = ratio->estimate, .interval = ratio->interval};
  const double worse = sign * test.estimate;
  if (std::fabs(worse) <= limit) return test;  // within the limit: nothing to show
  const double shift = worse > 0 ? limit : -limit;
  const auto alternative = worse > 0 ? stats::Alternative::greater : stats::Alternative::less;
  const auto ranks = stats::rank_sum(worsening(base.values, sign, 0), worsening(cand.values, sign, shift), alternative);
  test.p = std::min(1.0, 2 * ranks->value.p);
  return test;
}

Test test_paired(const SideRow& base, const SideRow& cand, double limit, const ComparePolicy& policy, double sign) {
  auto ratios = *stats::log_ratios(base.values, cand.values);
  Test test;
  for (const double ratio : ratios) test.estimate += ratio / static_cast<double>(ratios.size());
  test.interval =
      stats::paired_interval({.log_ratios = ratios, .order = {}}, {.confidence = 1 - policy.alpha, .resamples = 2000});
  const double worse = sign * test.estimate;
  if (std::fabs(worse) <= limit) return test;
  for (double& ratio : ratios) ratio = worse > 0 ? sign * ratio - limit : -(sign * ratio) - limit;
  test.p = std::min(1.0, 2 * stats::sign_flip(ratios, {.alternative = stats::Alternative::greater})->p);
  return test;
}

double smallest_p(std::size_t base, std::size_t cand, const ComparePolicy& policy) {
  return policy.paired ? stats::smallest_sign_flip_p(base) : stats::smallest_rank_sum_p(base, cand);
}

// The measured floor of a row; nullptr where none is.
const NoiseFloor* floor_of(const ComparedRow& row, const ComparePolicy& policy) {
  for (const std::string& name : {row.name + " " + row.metric, row.metric, row.name})
    if (const auto found = policy.noise.find(name); found != policy.noise.end()) return &found->second;
  return nullptr;
}

// Sets limit and where it comes from; whether the sides' samples may carry a claim at all.
bool set_limit(RowCase& weighed, const Sides& sides, const ComparePolicy& policy) {
  const bool fresh = sides.base.fresh_processes && sides.cand.fresh_processes;
  const NoiseFloor* measured = floor_of(weighed.row, policy);
  if (!fresh && measured == nullptr && policy.gate) return false;
  double floor = fresh ? 0 : policy.process_floor;
  if (measured != nullptr) floor = std::expm1(fresh ? measured->many_runs : measured->one_run);
  const double scaled = policy.floor_times * floor;
  weighed.row.limit = std::max(policy.practical, scaled);
  weighed.row.limit_from = scaled <= policy.practical ? "practical"
                           : measured != nullptr      ? fmt::format("{:g} x measured noise", policy.floor_times)
                                                      : "one process a side";
  return true;
}

void set_timer(RowCase& weighed, const SideRow& base, const SideRow& cand, const ComparePolicy& policy) {
  weighed.beyond_timer = true;
  if (!is_time(weighed.row.unit)) return;
  const double iterations = std::min(base.row->iterations, cand.row->iterations);
  weighed.timer_limit_ms = policy.timer_floor_ns * 1e-6 / iterations;
  weighed.beyond_timer = std::fabs(*weighed.row.cand - *weighed.row.base) > weighed.timer_limit_ms;
}

std::string too_few(const SideRow& base, const SideRow& cand, double p, const ComparePolicy& policy) {
  const std::string needed =
      fmt::format("at least {} {} are needed",
                  policy.paired ? stats::fewest_pairs(policy.alpha) : stats::fewest_a_side(policy.alpha),
                  policy.paired ? "pairs" : "a side");
  if (base.values.size() == 1 && cand.values.size() == 1)
    return fmt::format("one value a side shows no spread: {} ({})", needed,
                       cand.row->single_reason.empty() ? "repeat the run" : cand.row->single_reason);
  return fmt::format("{} and {} values reach p = {} at best, the level is {:g}: {}", base.values.size(),
                     cand.values.size(), significant(p, 2), policy.alpha, needed);
}

void test_row(RowCase& weighed, const SideRow& base, const SideRow& cand, const ComparePolicy& policy) {
  ComparedRow& row = weighed.row;
  const double sign = sign_of(row.better), limit = std::log1p(*row.limit);
  const Test test =
      policy.paired ? test_paired(base, cand, limit, policy, sign) : test_unpaired(base, cand, limit, policy, sign);
  weighed.tested = true;
  row.change = relative(test.estimate);
  row.worse = sign * test.estimate;
  row.p = test.p;
  if (!test.interval) return;
  const auto low = relative(test.interval->low), high = relative(test.interval->high);
  if (low && high) row.interval = stats::Interval{*low, *high};
  weighed.spread = (test.interval->high - test.interval->low) / 2 / *stats::normal_quantile(1 - policy.alpha / 2);
}

std::string range(const ComparedRow& row) {
  return fmt::format("{} to {}", signed_percent(row.interval->low), signed_percent(row.interval->high));
}

// What the data could have shown at `level`, and how many values would settle what they did not.
void set_power(RowCase& weighed, double level, const ComparePolicy& policy) {
  ComparedRow& row = weighed.row;
  if (!row.interval || weighed.smallest_p > level) return;
  const double limit = std::log1p(*row.limit);
  const double reach = *stats::normal_quantile(1 - level / 2) + *stats::normal_quantile(policy.power);
  row.detectable = relative(limit + reach * weighed.spread);
  const double margin = std::fabs(std::fabs(row.worse) - limit);
  const double n = static_cast<double>(std::min(row.base_n, row.cand_n));
  const double wanted = n * std::pow(reach * weighed.spread / margin, 2);
  if (margin > 0 && wanted <= kMostNeeded) row.needed = static_cast<std::size_t>(std::ceil(std::max(wanted, n + 1)));
}

}  // namespace

RowCase weigh(const SideRow* base, const SideRow* cand, const Sides& sides, const ComparePolicy& policy) {
  RowCase weighed = start(cand != nullptr ? *cand : *base);
  ComparedRow& row = weighed.row;
  if (base != nullptr) row.base = stats::median(base->values), row.base_n = base->values.size();
  if (cand != nullptr) row.cand = stats::median(cand->values), row.cand_n = cand->values.size();
  if (cand == nullptr) {
    settle(weighed, has_no_value(base->status) ? Finding::skipped : Finding::missing, "in the base only");
    return weighed;
  }
  if (base == nullptr) {
    const bool failed = cand->status == Status::failed || cand->status == Status::invalid;
    settle(weighed,
           failed                       ? Finding::failed
           : has_no_value(cand->status) ? Finding::skipped
                                        : Finding::added,
           cand->status == Status::ok ? "in the candidate only" : why(*cand));
    return weighed;
  }
  if (settled_by_status(weighed, *base, *cand)) return weighed;
  if (cand->row->exact) return decide_exact(weighed, *base, *cand), weighed;
  const bool several = sides.base.runs > 1 && sides.cand.runs > 1;
  if (cand->row->role == Role::duplicate || (cand->row->role == Role::derived && !several)) {
    if (*row.base > 0 && *row.cand > 0) row.change = relative(std::log(*row.cand / *row.base));
    settle(weighed, Finding::derived, "follows from other rows");
    return weighed;
  }
  if (row.better == Better::none) {
    settle(weighed, Finding::ungated,
           "no direction is known: neither its unit nor the file says whether more is better");
    return weighed;
  }
  if (settled_by_value(weighed, *base, *cand)) return weighed;
  row.worse = sign_of(row.better) * std::log(*row.cand / *row.base);
  row.change = relative(std::log(*row.cand / *row.base));
  weighed.smallest_p = smallest_p(row.base_n, row.cand_n, policy);
  if (weighed.smallest_p > policy.alpha) {
    row.needed = policy.paired ? stats::fewest_pairs(policy.alpha) : stats::fewest_a_side(policy.alpha);
    settle(weighed, Finding::not_decidable, too_few(*base, *cand, weighed.smallest_p, policy));
    return weighed;
  }
  if (!set_limit(weighed, sides, policy)) {
    settle(
        weighed, Finding::not_decidable,
        "the values of a side come from one process: a gate asks for several runs a side, or a measured noise floor");
    return weighed;
  }
  set_timer(weighed, *base, *cand, policy);
  test_row(weighed, *base, *cand, policy);
  return weighed;
}

void conclude(RowCase& weighed, double level, const ComparePolicy& policy) {
  ComparedRow& row = weighed.row;
  const double limit = *row.limit;
  set_power(weighed, level, policy);
  const std::string bound = fmt::format("{} ({})", percent(limit), row.limit_from);
  if (*row.p_adjusted <= policy.alpha) {
    if (!weighed.beyond_timer)
      return settle(weighed, Finding::unchanged,
                    fmt::format("a change of {} is below the timer's floor of {}",
                                duration(std::fabs(*row.cand - *row.base)), duration(weighed.timer_limit_ms)));
    row.needed.reset();
    return settle(weighed, row.worse > 0 ? Finding::regression : Finding::improvement,
                  fmt::format("beyond {}, p = {} over all rows", bound, significant(*row.p_adjusted, 2)));
  }
  if (row.interval) {
    const double sign = sign_of(row.better);
    const double worst = sign > 0 ? std::log1p(row.interval->high) : -std::log1p(row.interval->low);
    const bool timer_hides = weighed.timer_limit_ms > 0 &&
                             std::fabs(row.interval->high) * *row.base <= weighed.timer_limit_ms &&
                             std::fabs(row.interval->low) * *row.base <= weighed.timer_limit_ms;
    if (worst <= std::log1p(limit) || timer_hides) {
      row.needed.reset();
      return settle(weighed, Finding::unchanged,
                    timer_hides
                        ? fmt::format("{}: below the timer's floor of {}", range(row), duration(weighed.timer_limit_ms))
                        : fmt::format("{}: no regression beyond {}", range(row), bound));
    }
  }
  std::string text = row.interval ? fmt::format("{} is open at a limit of {}", range(row), bound)
                                  : fmt::format("too few values for an interval at a limit of {}", bound);
  if (*row.p <= policy.alpha)
    text = fmt::format("beyond {} by itself, but not among so many rows (p {} -> {})", bound, significant(*row.p, 2),
                       significant(*row.p_adjusted, 2));
  text += row.detectable
              ? fmt::format("; these data would show {}", signed_percent(sign_of(row.better) * *row.detectable))
              : fmt::format("; {} and {} values cannot show a row that changes alone", row.base_n, row.cand_n);
  if (!row.detectable) row.needed = policy.paired ? stats::fewest_pairs(level) : stats::fewest_a_side(level);
  if (row.needed) text += fmt::format("; about {} {} would settle it", *row.needed, policy.paired ? "pairs" : "a side");
  settle(weighed, Finding::inconclusive, text);
}

}  // namespace gonogo::reports
