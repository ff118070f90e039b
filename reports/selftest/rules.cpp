#include "reports/selftest/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/error.hpp"
#include "harness/stats/distributions.hpp"
#include "harness/stats/rank_sum.hpp"
#include "harness/stats/summary.hpp"
#include "reports/pair/plan.hpp"

namespace gonogo::reports {
namespace {

struct Arms {
  std::vector<double> base, candidate;
};

double mean_of(std::span<const double> values) { return *stats::summarize(values).mean; }

Answer answer_of(double base, double candidate, bool called) {
  if (!called) return Answer::same;
  return candidate > base ? Answer::slower : Answer::faster;
}

// One long process an arm, base first; each value is the mean of `samples`, as a repetition of many iterations is.
Arms repetitions_of_one_process(const Budget& budget, const Scenario& scenario, double effect,
                                std::mt19937_64& random) {
  Arms arms;
  for (const Slot& slot : one_after_the_other(1)) {
    const auto times = run_process(scenario, slot, effect, budget.processes * budget.samples, random);
    for (std::size_t i = 0; i < budget.processes; ++i)
      (slot.candidate ? arms.candidate : arms.base)
          .push_back(mean_of(std::span(times).subspan(i * budget.samples, budget.samples)));
  }
  return arms;
}

// Fresh processes, all of the base first; each value is the mean of a process.
Arms fresh_processes(const Budget& budget, const Scenario& scenario, double effect, std::mt19937_64& random) {
  Arms arms;
  for (const Slot& slot : one_after_the_other(budget.processes))
    (slot.candidate ? arms.candidate : arms.base)
        .push_back(mean_of(run_process(scenario, slot, effect, budget.samples, random)));
  return arms;
}

Answer by_median(const Arms& arms, bool called) {
  return answer_of(*stats::median(arms.base), *stats::median(arms.candidate), called);
}

Answer benchstat_answer(const Arms& arms) {
  return by_median(arms, stats::rank_sum(arms.base, arms.candidate)->value.p <= 0.05);
}

SessionRule google_rule(const Budget& budget) {
  return [=](const Scenario& scenario, double effect, std::mt19937_64& random) {
    const Arms arms = repetitions_of_one_process(budget, scenario, effect, random);
    return by_median(arms, google_p(arms.base, arms.candidate) < 0.05);
  };
}

SessionRule benchstat_rule(const Budget& budget, bool fresh) {
  return [=](const Scenario& scenario, double effect, std::mt19937_64& random) {
    return benchstat_answer(fresh ? fresh_processes(budget, scenario, effect, random)
                                  : repetitions_of_one_process(budget, scenario, effect, random));
  };
}

SessionRule nvbench_rule(const Budget& budget) {
  return [=](const Scenario& scenario, double effect, std::mt19937_64& random) {
    const auto slots = one_after_the_other(1);
    const std::size_t samples = budget.processes * budget.samples;
    const auto base = run_process(scenario, slots[0], effect, samples, random);
    const auto candidate = run_process(scenario, slots[1], effect, samples, random);
    return nvbench_answer(base, candidate);
  };
}

SessionRule threshold_rule(const Budget& budget, double threshold) {
  return [=](const Scenario& scenario, double effect, std::mt19937_64& random) {
    const Arms arms = repetitions_of_one_process(budget, scenario, effect, random);
    const double base = mean_of(arms.base), candidate = mean_of(arms.candidate);
    return answer_of(base, candidate, std::abs(candidate / base - 1) > threshold);
  };
}

}  // namespace

double google_p(std::span<const double> base, std::span<const double> candidate) {
  const auto ranked = stats::rank_sum(base, candidate);
  GONOGO_EXPECT(ranked.has_value(), "both arms hold values");
  if (std::min(base.size(), candidate.size()) <= 8 || ranked->value.method == stats::PMethod::normal)
    return ranked->value.p;
  const auto n = static_cast<double>(base.size()), m = static_cast<double>(candidate.size());
  const double deviation = std::sqrt(n * m * (n + m + 1) / 12);
  return std::min(1.0, 2 * stats::normal_cdf(-(std::abs(ranked->u - n * m / 2) - 0.5) / deviation));
}

Answer nvbench_answer(std::span<const double> base, std::span<const double> candidate) {
  const auto old_times = stats::summarize(base), new_times = stats::summarize(candidate);
  const double noise = std::min(*old_times.stddev / *old_times.mean, *new_times.stddev / *new_times.mean);
  const double difference = *new_times.mean / *old_times.mean - 1;
  return answer_of(*old_times.mean, *new_times.mean, std::abs(difference) > noise);
}

SessionRule gonogo_rule(const Budget& budget, const DecisionRule& rule, std::size_t rows) {
  return [=](const Scenario& scenario, double effect, std::mt19937_64& random) {
    PairPlan plan;
    plan.blocks = budget.processes;
    plan.seed = random();
    const auto orders = orders_of(plan);
    std::vector<PairedMetric> metrics(rows, {.name = "k", .unit = "us"});
    for (std::size_t row = 0; row < rows; ++row)
      for (const Slot& slot : interleaved(orders)) {
        const auto times = run_process(scenario, slot, row == 0 ? effect : 0, budget.samples, random);
        (slot.candidate ? metrics[row].b : metrics[row].a).push_back(*stats::median(times));
      }
    Answer answer = Answer::same;
    for (const Decision& decision : decide(metrics, orders, rule)) {
      if (decision.call == Call::regression) return Answer::slower;
      if (decision.call == Call::improvement) answer = Answer::faster;
    }
    return answer;
  };
}

std::vector<PeerRule> peer_rules(const Budget& budget, const DecisionRule& rule) {
  const auto all = budget.processes * budget.samples;
  DecisionRule any_size = rule;
  any_size.practical = 0;
  return {{"gonogo",
           fmt::format("{} fresh processes an arm in ABBA order, median of {} samples each; interval beyond {:g} % "
                       "and sign-flip p within {:g}",
                       budget.processes, budget.samples, rule.practical * 100, rule.alpha),
           gonogo_rule(budget, rule)},
          {"gonogo, any size", "the same with no practical size: a change of any size is called",
           gonogo_rule(budget, any_size)},
          {"Google Benchmark compare.py",
           fmt::format("one process an arm, {} repetitions of {} samples; rank-sum p < 0.05", budget.processes,
                       budget.samples),
           google_rule(budget)},
          {"benchstat",
           fmt::format("one process an arm, {} results of {} samples; rank-sum p <= 0.05", budget.processes,
                       budget.samples),
           benchstat_rule(budget, false)},
          {"benchstat, fresh processes",
           fmt::format("{} processes of the base, then {} of the candidate; rank-sum p <= 0.05", budget.processes,
                       budget.processes),
           benchstat_rule(budget, true)},
          {"nvbench, legacy",
           fmt::format("one process an arm, {} samples; difference of means above the smaller relative "
                       "standard deviation",
                       all),
           nvbench_rule(budget)},
          {"5 % threshold", fmt::format("one process an arm, {} samples; difference of means above 5 %", all),
           threshold_rule(budget, 0.05)}};
}

}  // namespace gonogo::reports
