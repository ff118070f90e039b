#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "reports/pair/decide.hpp"
#include "reports/pair/plan.hpp"
#include "tests/catch.hpp"

using namespace gonogo;
using namespace gonogo::reports;

namespace {

std::vector<std::uint8_t> orders_for(std::size_t blocks) {
  PairPlan plan;
  plan.blocks = blocks;
  return orders_of(plan);
}

// b is a times (1 + change), with a small spread between blocks that does not depend on chance.
PairedMetric metric_of(double change, double spread = 0.002, std::size_t blocks = 12) {
  PairedMetric metric{.name = "k", .unit = "ms"};
  for (std::size_t i = 0; i < blocks; ++i) {
    const double wobble = spread * std::sin(2.3 * static_cast<double>(i) + 1);
    metric.a.push_back(2.0);
    metric.b.push_back(2.0 * (1 + change) * (1 + wobble));
  }
  return metric;
}

Decision decided(const PairedMetric& metric, const DecisionRule& rule = {}) {
  return decide(std::span(&metric, 1), orders_for(metric.a.size()), rule).front();
}

}  // namespace

TEST_CASE("a change beyond the threshold is called by its direction, one within it unchanged", "[pair]") {
  CHECK(decided(metric_of(0.05)).call == Call::regression);
  CHECK(decided(metric_of(-0.05)).call == Call::improvement);
  CHECK(decided(metric_of(0.0)).call == Call::unchanged);
  CHECK(decided(metric_of(0.005)).call == Call::unchanged);
  auto rate = metric_of(0.05);
  rate.better = record::Better::higher;
  CHECK(decided(rate).call == Call::improvement);
  rate = metric_of(-0.05);
  rate.better = record::Better::higher;
  CHECK(decided(rate).call == Call::regression);
}

TEST_CASE("the change is the ratio minus one, with its interval around it", "[pair]") {
  const auto row = decided(metric_of(0.05));
  CHECK(*row.change == Approx(0.05).margin(0.002));
  CHECK(row.interval->low < *row.change);
  CHECK(row.interval->high > *row.change);
  CHECK(row.p->p == std::exp2(-11.0));
  CHECK(row.p_holm == row.p->p);
  CHECK(row.threshold == Approx(0.01));
}

TEST_CASE("a spread too wide is inconclusive and says what the session finds and what would settle it", "[pair]") {
  const auto row = decided(metric_of(0.03, 0.08));
  CHECK(row.call == Call::inconclusive);
  CHECK(*row.detectable > 0.03);
  CHECK(*row.settles > 12);
  const auto quiet = decided(metric_of(0.05));
  CHECK(*quiet.detectable < 0.02);
  CHECK_FALSE(quiet.settles.has_value());
}

TEST_CASE("a noise floor lifts the threshold", "[pair]") {
  auto metric = metric_of(0.05);
  metric.floor = 0.02;
  CHECK(decided(metric).threshold == Approx(std::expm1(0.04)));
  CHECK(decided(metric).call == Call::regression);
  metric.floor = 0.04;
  CHECK(decided(metric).call == Call::unchanged);
  CHECK(decided(metric, {.floor_times = 1}).call == Call::regression);
}

TEST_CASE("with many metrics the same evidence no longer suffices", "[pair]") {
  const auto orders = orders_for(8);
  std::vector<PairedMetric> many(30, metric_of(0.0, 0.002, 8));
  many[4] = metric_of(0.05, 0.002, 8);
  const auto rows = decide(many, orders, {});
  CHECK(decide(std::span(&many[4], 1), orders, {}).front().call == Call::regression);
  CHECK(rows[4].call == Call::inconclusive);
  CHECK(*rows[4].p_holm == Approx(30 * std::exp2(-7.0)));
  CHECK(rows[4].reason.find("Holm") != std::string::npos);
  CHECK(*rows[4].settles >= 11);
}

TEST_CASE("a change below the timer's floor is no regression, however large its share", "[pair]") {
  auto metric = metric_of(0.5);
  metric.unit = "ns";  // 2 ns to 3 ns
  CHECK(decided(metric).call == Call::inconclusive);
  CHECK(decided(metric).reason.find("timer") != std::string::npos);
  CHECK(decided(metric, {.timer_floor_ns = 0.5}).call == Call::regression);
  metric.unit = "tok/s";
  CHECK(decided(metric).call == Call::regression);
}

TEST_CASE("a zero, a negative or a missing value fails its row and no other", "[pair]") {
  const double bad_values[] = {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity()};
  for (const double bad : bad_values) {
    std::vector<PairedMetric> metrics{metric_of(0.05), metric_of(0.05)};
    metrics[0].b[3] = bad;
    const auto rows = decide(metrics, orders_for(12), {});
    CHECK(rows[0].call == Call::failed);
    CHECK(rows[0].reason.find("block 4") != std::string::npos);
    CHECK_FALSE(rows[0].change.has_value());
    CHECK(rows[1].call == Call::regression);
  }
  auto lost = metric_of(0.05);
  lost.fault = "missing in block 2 of b";
  CHECK(decided(lost).call == Call::failed);
  CHECK(decided(lost).reason == "missing in block 2 of b");
}

TEST_CASE("too few blocks decide nothing", "[pair]") {
  for (std::size_t blocks = 0; blocks < 6; ++blocks) {
    const auto row = decided(metric_of(0.5, 0.001, blocks));
    CHECK(row.call == Call::inconclusive);
    CHECK_FALSE(row.interval.has_value());
  }
}

TEST_CASE("a drift is neither a change nor a cover for one", "[pair]") {
  const std::size_t blocks = 12;
  const auto orders = orders_for(blocks);
  for (const double change : {0.0, 0.04}) {
    PairedMetric metric{.name = "k", .unit = "ms"};
    double now = 2.0;
    for (std::size_t i = 0; i < blocks; ++i) {
      double first = now, second = now * 1.02;  // 2 % slower from run to run
      now *= 1.02 * 1.02;
      metric.a.push_back(orders[i] == 0 ? first : second);
      metric.b.push_back((orders[i] == 0 ? second : first) * (1 + change));
    }
    const auto row = decided(metric);
    CHECK(*row.change == Approx(change).margin(1e-9));
    CHECK(row.call == (change > 0 ? Call::regression : Call::unchanged));
  }
}
