#include "reports/selftest/selftest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "harness/core/error.hpp"
#include "harness/stats/binomial.hpp"
#include "harness/stats/paired.hpp"
#include "harness/stats/random.hpp"
#include "reports/pair/result.hpp"

namespace gonogo::reports {
namespace {

void check(const SelfTestPlan& plan) {
  PairPlan pair;
  pair.blocks = plan.budget.processes;
  pair.alpha = plan.rule.alpha;
  check_reach(pair, plan.rows);
  if (std::find(plan.effects.begin(), plan.effects.end(), plan.target_effect) == plan.effects.end())
    throw core::UsageError(
        fmt::format("the target of {:g} % is not among the injected effects", plan.target_effect * 100));
}

// FNV-1a: a seed of its own for each rule, scenario and effect.
std::uint64_t seed_of(std::uint64_t seed, std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL ^ seed;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

template <class Session>  // Answer(effect, random)
ScenarioResult count(const SelfTestPlan& plan, const std::string& rule, const std::string& scenario,
                     Session&& session) {
  ScenarioResult result{.rule = rule, .scenario = scenario, .counts = {}};
  std::vector<double> effects = {0.0};
  effects.insert(effects.end(), plan.effects.begin(), plan.effects.end());
  for (const double effect : effects) {
    std::mt19937_64 random(seed_of(plan.seed, fmt::format("{}|{}|{}", rule, scenario, effect)));
    Count counted{.effect = effect, .sessions = plan.sessions};
    for (std::size_t i = 0; i < plan.sessions; ++i) {
      const Answer answer = session(effect, random);
      counted.slower += answer == Answer::slower ? 1 : 0;
      counted.faster += answer == Answer::faster ? 1 : 0;
    }
    if (effect == 0) result.false_alarms_at_most = *stats::rate_at_most(counted.slower + counted.faster, plan.sessions);
    if (effect == plan.target_effect) result.detection_at_least = stats::rate_at_least(counted.slower, plan.sessions);
    result.counts.push_back(counted);
  }
  result.holds = result.false_alarms_at_most <= plan.most_false_alarms && result.detection_at_least &&
                 *result.detection_at_least >= plan.least_detection;
  return result;
}

// The noise of one metric as recorded: block log-ratios about the mean of their order, and that order's shift.
struct RecordedNoise {
  std::vector<double> residuals;
  double order_effect = 0;
};

RecordedNoise recorded_noise(const PairedMetric& metric, std::span<const std::uint8_t> orders) {
  const auto ratios = stats::log_ratios(metric.a, metric.b);
  GONOGO_EXPECT(ratios.has_value(), metric.name);
  const auto summary = stats::summarize_pairs({*ratios, orders});
  RecordedNoise noise{.residuals = {}, .order_effect = summary.order_effect.value_or(0)};
  // The spread about means of few blocks is too small by this.
  const double scale = std::sqrt(static_cast<double>(summary.n) / static_cast<double>(summary.n - 2));
  for (std::size_t i = 0; i < ratios->size(); ++i) {
    const double shift = orders[i] == 0 ? noise.order_effect : -noise.order_effect;
    noise.residuals.push_back(((*ratios)[i] - *summary.mean - shift) * scale);
  }
  return noise;
}

Answer recorded_session(const SelfTestPlan& plan, const RecordedNoise& noise, double effect, std::mt19937_64& random) {
  PairPlan pair;
  pair.blocks = plan.budget.processes;
  pair.seed = random();
  const auto orders = orders_of(pair);
  PairedMetric metric{.name = "k"};
  for (const std::uint8_t order : orders) {
    const double residual = noise.residuals[stats::draw(random, noise.residuals.size())];
    const double shift = order == 0 ? noise.order_effect : -noise.order_effect;
    metric.a.push_back(1);
    metric.b.push_back((1 + effect) * std::exp(residual + shift));
  }
  const Call call = decide(std::span(&metric, 1), orders, plan.rule).front().call;
  if (call == Call::regression) return Answer::slower;
  return call == Call::improvement ? Answer::faster : Answer::same;
}

void conclude(SelfTestResult& result) {
  bool any = false, all = true;
  for (const ScenarioResult& scenario : result.scenarios) {
    if (scenario.rule != "gonogo") continue;
    any = true;
    all = all && scenario.holds;
  }
  result.passed = any && all;
}

}  // namespace

SelfTestResult self_test(const SelfTestPlan& plan, const std::vector<Scenario>& scenarios) {
  check(plan);
  SelfTestResult result{.plan = plan, .scenarios = {}};
  const auto rule = gonogo_rule(plan.budget, plan.rule, plan.rows);
  for (const Scenario& scenario : scenarios)
    result.scenarios.push_back(count(plan, "gonogo", scenario.name, [&](double effect, std::mt19937_64& random) {
      return rule(scenario, effect, random);
    }));
  conclude(result);
  return result;
}

SelfTestResult self_test_recorded(const SelfTestPlan& plan, const JournalContent& content) {
  check(plan);
  SelfTestResult result{.plan = plan, .scenarios = {}};
  const auto orders = orders_of(content.plan);
  for (const PairedMetric& metric : paired_metrics(content, Arm::a, Arm::b)) {
    if (!metric.fault.empty() || metric.a.size() < content.plan.blocks || !stats::log_ratios(metric.a, metric.b))
      continue;
    const auto noise = recorded_noise(metric, orders);
    result.scenarios.push_back(
        count(plan, "gonogo", fmt::format("recorded {}", metric.name),
              [&](double effect, std::mt19937_64& random) { return recorded_session(plan, noise, effect, random); }));
  }
  if (result.scenarios.empty())
    throw core::UsageError("the journal holds no finished metric: finish it with gonogo calibrate or pair");
  conclude(result);
  return result;
}

SelfTestResult compare_rules(const SelfTestPlan& plan, const std::vector<Scenario>& scenarios) {
  check(plan);
  SelfTestResult result{.plan = plan, .scenarios = {}};
  for (const Scenario& scenario : scenarios)
    for (const PeerRule& peer : peer_rules(plan.budget, plan.rule))
      result.scenarios.push_back(count(plan, peer.name, scenario.name, [&](double effect, std::mt19937_64& random) {
        return peer.session(scenario, effect, random);
      }));
  conclude(result);
  return result;
}

}  // namespace gonogo::reports
