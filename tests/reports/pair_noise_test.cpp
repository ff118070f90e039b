#include <nlohmann/json.hpp>
#include <cmath>
#include <random>

#include "harness/core/error.hpp"
#include "harness/record/strict_json.hpp"
#include "reports/pair/calibrate.hpp"
#include "reports/pair/noise.hpp"
#include "reports/pair/result.hpp"
#include "tests/catch.hpp"

using namespace gonogo;
using namespace gonogo::reports;

namespace {

NoiseFile sample_noise() {
  NoiseFile noise;
  noise.facts = {{"host", "h"}, {"device", "cuda X"}};
  noise.command = "bench";
  noise.date = "2026-12-01T00:00:00Z";
  noise.rows["k"] = {.unit = "ms",
                     .better = record::Better::lower,
                     .blocks = 12,
                     .typical = 2.5,
                     .stddev = 0.01,
                     .run_floor = 0.024,
                     .mean_floor = 0.003};
  return noise;
}

// A finished session over one metric: values by arm and block.
JournalContent session_of(double change, double control_change, std::size_t blocks = 12) {
  JournalContent content;
  content.plan.a = content.plan.b = "x";
  content.plan.control = "x";
  content.plan.blocks = blocks;
  for (const Visit& visit : visits_of(content.plan)) {
    Run run{.visit = visit, .started = "2026-12-01T00:00:00Z", .readings = {}};
    run.readings.facts = {{"host", "h"}};
    const double wobble = 0.001 * std::sin(1.7 * static_cast<double>(visit.index));
    const double factor = visit.arm == Arm::b ? 1 + change : visit.arm == Arm::control ? 1 + control_change : 1.0;
    run.readings.metrics["k"] = {.value = 2 * factor * (1 + wobble), .unit = "ms", .better = record::Better::lower};
    content.runs.push_back(run);
  }
  return content;
}

}  // namespace

TEST_CASE("a noise file survives its JSON", "[pair]") {
  const auto noise = sample_noise();
  const auto text = record::dump_strict(to_json(noise));
  CHECK(to_json(parse_noise(text, "f")) == to_json(noise));
  CHECK(parse_noise(text, "f").rows.at("k").run_floor == 0.024);
}

TEST_CASE("a file that is no noise floor is refused with file and key", "[pair]") {
  const auto text = record::dump_strict(to_json(sample_noise()));
  for (const std::string broken :
       {"", "{}", "[]", R"({"schema": "gonogo/noise"})", R"({"schema": "gonogo/noise", "schema_version": 2})",
        R"({"schema": "gonogo/noise", "schema_version": 1})"})
    CHECK_THROWS_AS(parse_noise(broken, "f"), core::InputError);
  CHECK_THROWS_AS(parse_noise(text.substr(0, text.size() / 2), "f"), core::InputError);
  auto negative = sample_noise();
  negative.rows["k"].mean_floor = -0.1;
  try {
    (void)parse_noise(record::dump_strict(to_json(negative)), "f");
    FAIL("accepted");
  } catch (const core::InputError& error) {
    CHECK(std::string(error.what()).find("metrics.k") != std::string::npos);
  }
}

TEST_CASE("another machine's floor does not hold; an unknown fact is no difference", "[pair]") {
  CHECK(holds_for(sample_noise(), {{"host", "h"}, {"device", "cuda X"}, {"model", "m"}}));
  CHECK_FALSE(holds_for(sample_noise(), {{"host", "other"}, {"device", "cuda X"}}));
  CHECK_FALSE(holds_for(sample_noise(), {{"host", "h"}, {"device", "cuda Y"}}));
  CHECK(holds_for(sample_noise(), {{"host", "h"}}));
}

TEST_CASE("19 of 20 pairs of single runs of the same code stay below the floor of one run", "[pair]") {
  std::mt19937_64 random(61);
  std::normal_distribution<double> noise(0, 0.01);
  std::vector<std::uint8_t> orders;
  for (std::size_t i = 0; i < 12; ++i) orders.push_back(i % 2 == 0 ? 0 : 1);
  int below = 0, trials = 0;
  for (int session = 0; session < 400; ++session) {
    std::vector<double> first, second;
    for (std::size_t i = 0; i < orders.size(); ++i) {
      first.push_back(std::exp(noise(random)));
      second.push_back(std::exp(noise(random)));
    }
    const auto row = noise_of(first, second, orders);
    for (int next = 0; next < 10; ++next, ++trials)
      below += std::abs(noise(random) - noise(random)) < row->run_floor ? 1 : 0;
  }
  CHECK(below > trials * 0.93);
  CHECK(below < trials * 0.98);
}

TEST_CASE("five blocks show no floor", "[pair]") {
  const std::vector<double> five(5, 1.0);
  CHECK_FALSE(noise_of(five, five, std::vector<std::uint8_t>{0, 1, 0, 1, 0}).has_value());
}

TEST_CASE("a calibration leaves out what has no logarithm and says so", "[pair]") {
  auto content = session_of(0, 0);
  content.plan.control.reset();
  content.runs.clear();
  for (const Visit& visit : visits_of(content.plan)) {
    Run run{.visit = visit, .started = "t", .readings = {}};
    run.readings.metrics["k"] = {
        .value = 2 + 0.01 * std::sin(static_cast<double>(visit.index)), .unit = "ms", .better = record::Better::lower};
    run.readings.metrics["zero"] = {.value = 0.0, .unit = "1", .better = record::Better::lower};
    content.runs.push_back(run);
  }
  const auto calibration = calibrate(content);
  CHECK(calibration.noise.rows.size() == 1);
  CHECK(calibration.noise.rows.at("k").blocks == 12);
  CHECK(calibration.noise.rows.at("k").unit == "ms");
  CHECK(calibration.noise.rows.at("k").stddev > 0.001);
  REQUIRE(calibration.left_out.size() == 1);
  CHECK(calibration.left_out[0].first == "zero");
  auto two = content;
  two.plan.b = "other";
  CHECK_THROWS_AS(check_calibration(two.plan), core::UsageError);
}

TEST_CASE("the control arm's own change becomes the floor; a control that moves makes the session invalid", "[pair]") {
  const auto regression = judge_session(session_of(0.05, 0.004), std::nullopt, {});
  CHECK(regression.verdict == "REGRESSION");
  CHECK(regression.exit_code == core::ExitCode::no_go);
  CHECK(regression.rows[0].floor == Approx(0.004).epsilon(0.3));
  const auto quiet = judge_session(session_of(0.0, 0.0), std::nullopt, {});
  CHECK(quiet.verdict == "NO REGRESSION");
  CHECK(quiet.exit_code == core::ExitCode::ok);
  const auto invalid = judge_session(session_of(0.0, 0.05), std::nullopt, {});
  CHECK(invalid.verdict == "INVALID");
  CHECK(invalid.exit_code == core::ExitCode::invalid_environment);
  CHECK(std::any_of(invalid.notes.begin(), invalid.notes.end(),
                    [](const std::string& note) { return note.find("control arm") != std::string::npos; }));
}

TEST_CASE("a noise floor read from a file lifts the threshold, one of another host ends the judging", "[pair]") {
  auto noise = sample_noise();
  noise.rows["k"].mean_floor = 0.1;
  CHECK(judge_session(session_of(0.05, 0), noise, {}).verdict == "NO REGRESSION");
  noise.facts["host"] = "elsewhere";
  CHECK_THROWS_AS(judge_session(session_of(0.05, 0), noise, {}), core::EnvironmentError);
}

TEST_CASE("a metric that the runs do not measure is inconclusive, one that failed is a failure", "[pair]") {
  auto content = session_of(0.0, 0.0);
  for (Run& run : content.runs)
    run.readings.metrics["k"] = {.value = std::nullopt,
                                 .unit = "ms",
                                 .better = record::Better::lower,
                                 .status = "unmeasured",
                                 .reason = "needs a cuda device"};
  const auto unmeasured = judge_session(content, std::nullopt, {});
  CHECK(unmeasured.exit_code == core::ExitCode::inconclusive);
  CHECK(unmeasured.rows[0].reason.find("needs a cuda device") != std::string::npos);
  content.runs[3].readings.metrics["k"].status = "failed";
  content.runs[0].readings.metrics["k"].status = "failed";
  CHECK(judge_session(content, std::nullopt, {}).exit_code == core::ExitCode::failed_rows);
}

TEST_CASE("a metric that a run lacks fails the session, not only its row", "[pair]") {
  auto content = session_of(0.0, 0.0);
  content.runs[7].readings.metrics.clear();
  const auto result = judge_session(content, std::nullopt, {});
  CHECK(result.verdict == "FAILED");
  CHECK(result.exit_code == core::ExitCode::failed_rows);
}
