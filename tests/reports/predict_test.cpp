#include "reports/predict/predict.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <cmath>

#include "harness/core/error.hpp"
#include "tests/catch.hpp"
#include "tests/record/sample_record.hpp"

using namespace gonogo;
using reports::Acceptance;
using reports::CostCurve;
using reports::Overheads;

namespace {

double mean(double rate, std::int64_t k) { return reports::committed({.rate = rate, .histogram = {}}, k).value().mean; }

record::Json run_of(const std::map<std::string, double>& metrics) {
  auto run = tests::sample_record();
  run.stacks[0].metrics.clear();
  for (const auto& [name, value] : metrics)
    run.stacks[0].metrics[name] = record::measured(value, "1", record::Better::lower);
  return record::to_json(run);
}

}  // namespace

TEST_CASE("tokens per verify follow the geometric law of a rate", "[predict]") {
  for (const double a : {0.0, 0.1, 0.5, 0.9, 0.999})
    for (const std::int64_t k : {1, 2, 7, 31}) {
      CAPTURE(a, k);
      CHECK(mean(a, k) == Approx((1 - std::pow(a, static_cast<double>(k + 1))) / (1 - a)).epsilon(1e-12));
    }
  CHECK(mean(1, 7) == 8);  // where the closed form divides by zero
  CHECK(mean(0, 7) == 1);
}

TEST_CASE("speed-ups are those of the published table for seven drafted tokens", "[predict]") {
  // B* -> break-even rate, then the speed-up at rates 0.5, 0.6, 0.7, 0.8, 0.9.
  const std::vector<std::pair<double, std::vector<double>>> table{
      {1.0, {0, 1.99, 2.46, 3.14, 4.16, 5.70}},    {1.1, {0.09, 1.81, 2.23, 2.86, 3.78, 5.18}},
      {1.2, {0.17, 1.66, 2.05, 2.62, 3.47, 4.75}}, {1.5, {0.33, 1.33, 1.64, 2.09, 2.77, 3.80}},
      {2.0, {0.50, 1.00, 1.23, 1.57, 2.08, 2.85}}, {2.16, {0.54, 0.92, 1.14, 1.45, 1.93, 2.64}},
      {4.6, {0.83, 0.43, 0.53, 0.68, 0.90, 1.24}}};
  for (const auto& [cost, row] : table) {
    CAPTURE(cost);
    CHECK(std::fabs(reports::rate_for(reports::break_even_committed(cost, 7, {}), 7).value() - row[0]) <= 0.005001);
    for (std::size_t i = 0; i < 5; ++i)
      CHECK(std::fabs(reports::speed_up(mean(0.5 + 0.1 * static_cast<double>(i), 7), cost, 7, {}) - row[i + 1]) <=
            0.005001);
  }
}

TEST_CASE("with a free verify the speed-up is Leviathan's, with its cost per drafted token", "[predict]") {
  for (const double a : {0.3, 0.8})
    for (const std::int64_t k : {1, 3, 5}) {
      const double c = 0.05, n = static_cast<double>(k);
      const double theirs = (1 - std::pow(a, n + 1)) / ((1 - a) * (n * c + 1));
      CHECK(reports::speed_up(mean(a, k), 1, k, {.per_token = c}) == Approx(theirs).epsilon(1e-12));
    }
  CHECK(reports::speed_up(2.8, 1.15, 7, {.per_verify = 0.02}) == Approx(2.8 / 1.17));
}

TEST_CASE("steps that do not draft dilute the speed-up and bear their own overhead", "[predict]") {
  CHECK(reports::speed_up(3, 1.5, 4, {.engaged = 0.5}) == Approx((0.5 * 3 + 0.5) / (0.5 * 1.5 + 0.5)));
  CHECK(reports::speed_up(3, 1.5, 4, {.engaged = 0.25, .per_token = 0.1, .per_verify = 0.2, .idle = 0.04}) ==
        Approx((0.25 * 3 + 0.75) / (0.25 * (1.5 + 0.6) + 0.75 * 1.04)));
  // At the break-even the speed-up is one, whatever the overheads.
  for (const double p : {0.1, 0.5, 1.0}) {
    const Overheads overheads{.engaged = p, .per_token = 0.1, .per_verify = 0.05, .idle = 0.02};
    const double needed = reports::break_even_committed(2.16, 7, overheads);
    CHECK(reports::speed_up(needed, 2.16, 7, overheads) == Approx(1).epsilon(1e-12));
    CHECK(mean(reports::rate_for(needed, 7).value(), 7) == Approx(needed).epsilon(1e-12));
  }
}

TEST_CASE("a break-even that no acceptance reaches has no rate", "[predict]") {
  CHECK_FALSE(reports::rate_for(8.01, 7).has_value());
  CHECK_FALSE(reports::rate_for(std::nan(""), 7).has_value());
  CHECK(reports::rate_for(8, 7) == 1.0);
  CHECK(reports::rate_for(0.5, 7) == 0.0);
}

TEST_CASE("a histogram gives the tokens of every shorter draft, and of no longer one", "[predict]") {
  // Ten verifies of three drafted tokens: 4 accepted none, 3 one, 2 two, 1 three.
  const Acceptance trace{.rate = std::nullopt, .histogram = {4, 3, 2, 1}};
  CHECK(reports::committed(trace, 3)->mean == Approx(1 + (3 * 1 + 2 * 2 + 1 * 3) / 10.0));
  CHECK(reports::committed(trace, 2)->mean == Approx(1 + (3 * 1 + 3 * 2) / 10.0));
  CHECK(reports::committed(trace, 1)->mean == Approx(1.6));
  CHECK_FALSE(reports::committed(trace, 4).has_value());
  // 95 % of a mean of ten: 1.96 s / sqrt(10), s from the squares about the mean.
  const double s = std::sqrt((4 * 1.0 * 1.0 + 0 + 2 * 1.0 + 1 * 4.0) / 9);
  CHECK(reports::committed(trace, 3)->half_width.value() == Approx(1.96 * s / std::sqrt(10)));
  CHECK_FALSE(reports::committed({.rate = std::nullopt, .histogram = {0, 1}}, 1)->half_width.has_value());
}

TEST_CASE("costs between measured widths lie on the line, beyond the widest there is none", "[predict]") {
  const CostCurve curve{{1, 1}, {2, 1.2}, {8, 3}};
  CHECK(reports::cost_at(curve, 2)->value == 1.2);
  CHECK(reports::cost_at(curve, 2)->measured);
  CHECK(reports::cost_at(curve, 5)->value == Approx(2.1));
  CHECK_FALSE(reports::cost_at(curve, 5)->measured);
  CHECK_FALSE(reports::cost_at(curve, 9).has_value());
}

TEST_CASE("k* is the length of the largest speed-up, and none where drafting does not pay", "[predict]") {
  CostCurve linear;
  for (std::int64_t m = 1; m <= 16; ++m) linear.push_back({m, 1 + 1.16 / 7 * static_cast<double>(m - 1)});
  const auto at = [&](double rate) { return reports::forecast(linear, {.rate = rate, .histogram = {}}, {}); };
  CHECK(at(0.5).best == 2);
  CHECK(at(0.5).rows[1].speed_up == Approx(1.75 / (1 + 2 * 1.16 / 7)));
  CHECK(at(0.7).best == 3);
  CHECK(at(0.7).rows[2].speed_up == Approx(1.69).margin(0.005));
  CHECK(at(0.1).best == 0);
  CHECK(headline(at(0.1)).rfind("Do not draft", 0) == 0);
  CHECK(at(0.9).best > at(0.7).best);
  for (const auto& row : at(0.7).rows) CHECK(row.speed_up <= at(0.7).rows[2].speed_up);
}

TEST_CASE("the seeds' wide verify did not pay at the acceptance they measured", "[predict]") {
  const CostCurve qwen{{1, 1}, {8, 4.6}}, glm{{1, 1}, {8, 2.16}};
  for (const double tokens : {2.4, 3.3}) {
    CHECK(reports::speed_up(tokens, reports::cost_at(qwen, 8)->value, 7, {}) < 1);  // their 0.72 and 0.40
    CHECK(reports::speed_up(tokens, reports::cost_at(glm, 8)->value, 7, {}) > 1.1);
  }
}

TEST_CASE("a curve is read from a record at the stack and length asked for", "[predict]") {
  const auto run = run_of({{"bstar.verify/m=2/past=64", 1.1},
                           {"bstar.verify/m=8/past=64", 1.5},
                           {"bstar.verify/m=8/past=512", 2.16},
                           {"bstar.verify/m=16/past=512", 3},
                           {"bstar.replay/m=8/past=512", 2},
                           {"decode.wall_ms/past=512", 10},
                           {"decode.gpu_ms/past=512", 9}});
  const auto read = reports::read_curve(run, {.file = "r.json"});
  CHECK(read.stack == "latest");
  CHECK(read.past == "512");
  CHECK(read.decode_ms == 10.0);
  REQUIRE(read.curve.size() == 3);
  CHECK(read.curve[2].m == 16);
  CHECK(reports::read_curve(run, {.file = "r.json", .past = "64"}).curve.size() == 3);
  const auto replay = reports::read_curve(run, {.file = "r.json", .base = "bstar.replay"});
  CHECK(replay.curve[1].cost == 2.0);
  CHECK(replay.decode_ms == 9.0);
  CHECK_THROWS_AS(reports::read_curve(run, {.file = "r.json", .past = "9"}), core::UsageError);
  CHECK_THROWS_AS(reports::read_curve(run, {.file = "r.json", .stack = "x"}), core::UsageError);
  CHECK_THROWS_AS(reports::read_curve(run_of({{"a", 1}}), {.file = "r.json"}), core::InputError);
}

TEST_CASE("widths without a value are left out of a curve, and no width with one is refused", "[predict]") {
  auto run = run_of({{"bstar.verify/m=8/past=512", 2}, {"bstar.verify/m=16/past=512", std::nan("")}});
  CHECK(reports::read_curve(run, {.file = "r.json"}).curve.size() == 2);
  run = run_of({{"bstar.verify/m=8/past=512", std::nan("")}});
  CHECK_THROWS_AS(reports::read_curve(run, {.file = "r.json"}), core::InputError);
  run = run_of({{"bstar.verify/m=8/past=512", 0}});
  CHECK_THROWS_AS(reports::read_curve(run, {.file = "r.json"}), core::InputError);
}

TEST_CASE("a forecast says what it cannot predict", "[predict]") {
  const CostCurve curve{{1, 1}, {8, 2}};
  const auto short_trace = reports::forecast(curve, {.rate = std::nullopt, .histogram = {1, 1, 1}}, {});
  CHECK(short_trace.rows.size() == 2);
  CHECK(short_trace.notes.at(0) == "The histogram is of 2 drafted tokens: longer drafts are not predicted.");
  CHECK_THROWS_AS(reports::forecast({{1, 1}}, {.rate = 0.5, .histogram = {}}, {}), core::UsageError);
  auto forecast = reports::forecast(curve, {.rate = 0.9, .histogram = {}}, {});
  forecast.decode_ms = 10;
  CHECK(headline(forecast).find("(100 -> ") != std::string::npos);
  CHECK(to_table(forecast).rows[6][2] == "2.00");
  CHECK(to_table(forecast).rows[0][2] == "~1.14");
  CHECK(to_json(forecast)["best_k"] == forecast.best);
}
