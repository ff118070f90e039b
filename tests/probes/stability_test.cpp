#include <limits>

#include "harness/core/error.hpp"
#include "probes/stability.hpp"
#include "tests/catch.hpp"
#include "tests/probes/fake_session.hpp"

using namespace gonogo;
using probes::measure_stability;
using probes::StabilityOptions;
using record::Status;
using tests::FakeCall;
using tests::FakeScript;
using tests::FakeSession;

namespace {

probes::StabilityResult measure(FakeScript script, StabilityOptions options = {1000, 16, 1}) {
  FakeSession session(std::move(script));
  return measure_stability({"latest", &session}, options, {});
}

}  // namespace

TEST_CASE("1000 steps from a short prompt cross two bucket edges: three warm-ups, three captures, 994 replays") {
  const auto result = measure(FakeScript{});
  CHECK(result.status == Status::ok);
  CHECK(result.counters.steps == 1000);
  CHECK(result.counters.warm_ups == 3);
  CHECK(result.counters.captures == 3);
  CHECK(result.counters.replays == 994);
  CHECK(result.counters.growths == 2);
  CHECK(result.counters.invalidations == 2);
  CHECK(result.buckets == std::vector<std::int64_t>{256, 512, 1024});
  CHECK(result.recaptures == 0);
  CHECK(result.restarts == 0);
  CHECK(result.broken_identity().empty());
  CHECK_NOTHROW(probes::require_identity(result));
  const auto all = probes::metrics(result);
  CHECK(*all.at("stability.replay_share").value == Approx(0.994));
  CHECK(*all.at("stability.tok_per_s").value == Approx(1000.0));  // 1 ms a step
  CHECK(*all.at("stability.growths").value == Approx(2));
  CHECK(*all.at("stability.thrash").value == Approx(0));
}

TEST_CASE("counters that do not add up are a result error") {
  FakeScript script;
  script.skew = [](engine::CaptureCounters& c) { c.replays -= c.replays / 500; };
  const auto result = measure(script);
  CHECK(result.status == Status::failed);
  CHECK_FALSE(result.broken_identity().empty());
  CHECK_THROWS_AS(probes::require_identity(result), core::ResultError);
  CHECK(probes::metrics(result).at("stability.replay_share").status == Status::failed);
}

TEST_CASE("counters that add up but disagree with what each step was are caught too") {
  FakeScript script;
  script.skew = [](engine::CaptureCounters& c) {
    if (c.steps < 1000) return;
    ++c.replays;
    --c.warm_ups;
  };
  CHECK_THROWS_AS(probes::require_identity(measure(script)), core::ResultError);
}

TEST_CASE("a full context restarts the sequence behind the prompt; buckets grow only the first time") {
  FakeScript script;
  script.context = 400;
  auto journal = script.journal;
  const auto result = measure(script, {1000, 16, 1});
  CHECK(result.status == Status::ok);
  CHECK(result.counters.steps == 1000);
  CHECK(result.restarts == 2);  // 384 steps fit behind the prompt
  CHECK(result.counters.growths == 1);
  CHECK(result.buckets == std::vector<std::int64_t>{256, 400});
  CHECK(result.counters.replays == 996);
  // After a restart the same ids come again.
  REQUIRE(journal->size() == 1001);
  CHECK((*journal)[1].ids == (*journal)[385].ids);
  CHECK((*journal)[385].past == 16);
}

TEST_CASE("a graph lost again and again in one bucket is thrash") {
  FakeScript script;
  script.replays_until_drop = 10;
  const auto result = measure(script);
  CHECK(result.broken_identity().empty());
  CHECK(result.recaptures > 50);
  CHECK(result.replay_share() < 0.9);
  CHECK(result.counters.invalidations > result.counters.growths + 1);
}

TEST_CASE("a non-finite logit in any step makes the stability figures invalid") {
  FakeScript script;
  script.spoil = [](const FakeCall& call, std::int64_t, std::span<float> row) {
    if (call.past == 700) row[0] = std::numeric_limits<float>::infinity();
  };
  const auto result = measure(script);
  CHECK(result.non_finite == 1);
  CHECK(result.status == Status::invalid);
  CHECK_FALSE(probes::metrics(result).at("stability.tok_per_s").value);
}

TEST_CASE("an interrupted stability run keeps its steps and claims no figure") {
  FakeSession session{FakeScript{}};
  probes::Monitor monitor;
  monitor.interrupted = [&] { return session.calls().size() > 100; };
  const auto result = measure_stability({"latest", &session}, {1000, 16, 1}, monitor);
  CHECK(result.status == Status::unmeasured);
  CHECK(result.times.size() == 100);
  CHECK(result.counters.steps == 100);
  CHECK(result.broken_identity().empty());
  CHECK(probes::metrics(result).at("stability.replay_share").reason.find("interrupted after 100 of 1000") !=
        std::string::npos);
}

TEST_CASE("a prompt that fills the context, or no steps, is a usage error") {
  CHECK_THROWS_AS(measure(FakeScript{}, {0, 16, 1}), core::UsageError);
  CHECK_THROWS_AS(measure(FakeScript{}, {10, 4096, 1}), core::UsageError);
  CHECK_THROWS_AS(measure(FakeScript{}, {10, 0, 1}), core::UsageError);
}
