#include <nlohmann/json.hpp>
#include <limits>

#include "harness/core/error.hpp"
#include "probes/e2e.hpp"
#include "probes/prefill.hpp"
#include "tests/catch.hpp"
#include "tests/probes/fake_session.hpp"

using namespace gonogo;
using engine::ForwardTimes;
using engine::Mode;
using engine::Wanted;
using record::Status;
using tests::FakeCall;
using tests::FakeScript;
using tests::FakeSession;

namespace {

// 5 ms, and 0.25 ms a row.
ForwardTimes linear(const FakeCall& call) { return {5'000'000 + call.width * 250'000, 0, 0}; }

}  // namespace

TEST_CASE("prefill reports tokens per second of the whole wall, its marginal rate and its overhead") {
  FakeScript script;
  script.times = linear;
  auto journal = script.journal;
  FakeSession session(script);
  const probes::Subject subject{"latest", &session};
  const auto result = probes::measure_prefill({&subject, 1}, {{100, 300, 700}, 3, 1}, {}).front();
  CHECK(result.complete);
  const auto all = probes::metrics(result);
  CHECK(*all.at("prefill.tok_per_s/l=100").value == Approx(100 / 0.030));
  CHECK(*all.at("prefill.tok_per_s/l=700").value == Approx(700 / 0.180));
  CHECK(*all.at("prefill.marginal_tok_per_s").value == Approx(4000));
  CHECK(*all.at("prefill.overhead_ms").value == Approx(5));
  REQUIRE(journal->size() == 12);  // one untimed and three timed, three lengths
  for (const auto& call : *journal) {
    CHECK(call.past == 0);
    CHECK(call.wanted == Wanted::last_id);
  }
  CHECK(result.points[0].samples.size() == 3);
}

TEST_CASE("prefill interleaves the stacks") {
  auto journal = std::make_shared<std::vector<FakeCall>>();
  FakeScript a, b;
  a.name = "a";
  b.name = "b";
  a.journal = b.journal = journal;
  FakeSession first(a), second(b);
  const std::vector<probes::Subject> subjects{{"a", &first}, {"b", &second}};
  (void)probes::measure_prefill(subjects, {{10}, 4, 1}, {});
  std::string order;
  for (const auto& call : *journal) order += call.session;
  CHECK(order == "ababbaabba");  // one untimed each, then a b, b a, a b, b a
}

TEST_CASE("one length gives a rate but no slope, and says why") {
  FakeSession session{FakeScript{}};
  const probes::Subject subject{"latest", &session};
  const auto result = probes::measure_prefill({&subject, 1}, {{64}, 2, 1}, {}).front();
  const auto all = probes::metrics(result);
  CHECK(all.at("prefill.tok_per_s/l=64").value);
  CHECK(all.at("prefill.overhead_ms").status == Status::unmeasured);
  CHECK(all.at("prefill.overhead_ms").reason == "fewer than two lengths");
}

TEST_CASE("a falling wall gives no marginal rate instead of a negative one") {
  FakeScript script;
  script.times = [](const FakeCall& call) { return ForwardTimes{10'000'000 - call.width * 1000, 0, 0}; };
  FakeSession session(script);
  const probes::Subject subject{"latest", &session};
  const auto all = probes::metrics(probes::measure_prefill({&subject, 1}, {{10, 20}, 2, 1}, {}).front());
  CHECK(all.at("prefill.marginal_tok_per_s").status == Status::invalid);
}

TEST_CASE("prefill of no ids or more than the context is a usage error; a NaN is an invalid point") {
  FakeScript script;
  script.spoil = [](const FakeCall& call, std::int64_t, std::span<float> row) {
    if (call.width == 20) row[1] = std::numeric_limits<float>::quiet_NaN();
  };
  FakeSession session(script);
  const probes::Subject subject{"latest", &session};
  CHECK_THROWS_AS(probes::measure_prefill({&subject, 1}, {{0}, 1, 1}, {}), core::UsageError);
  CHECK_THROWS_AS(probes::measure_prefill({&subject, 1}, {{4097}, 1, 1}, {}), core::UsageError);
  CHECK_THROWS_AS(probes::measure_prefill({&subject, 1}, {{}, 1, 1}, {}), core::UsageError);
  const auto result = probes::measure_prefill({&subject, 1}, {{10, 20}, 2, 1}, {}).front();
  CHECK(result.points[0].status == Status::ok);
  CHECK(result.points[1].status == Status::invalid);
}

TEST_CASE("an interrupted prefill keeps the lengths it finished") {
  FakeSession session{FakeScript{}};
  const probes::Subject subject{"latest", &session};
  probes::Monitor monitor;
  monitor.interrupted = [&] { return session.calls().size() >= 4; };
  const auto result = probes::measure_prefill({&subject, 1}, {{10, 20, 30}, 3, 1}, monitor).front();
  CHECK_FALSE(result.complete);
  REQUIRE(result.points.size() == 2);
  CHECK(result.points[0].samples.size() == 3);
  CHECK(result.points[1].status == Status::unmeasured);
}

TEST_CASE("e2e counts the tokens of the window after the skip and divides by its wall") {
  FakeScript script;
  script.times = [](const FakeCall& call) {
    return ForwardTimes{call.past < 24 ? 50'000'000 : 4'000'000, 500'000, 500'000};
  };
  auto journal = script.journal;
  FakeSession session(script);
  const auto result = probes::measure_e2e({"latest", &session}, {40, 8, 16, 1}, {});
  CHECK(result.status == Status::ok);
  CHECK(result.ids.size() == 40);
  CHECK(result.window() == 32);
  const auto all = probes::metrics(result);
  CHECK(*all.at("e2e.tok_per_s").value == Approx(200));  // 5 ms a step once past 24
  CHECK(*all.at("e2e.tokens").value == Approx(40));
  REQUIRE(journal->size() == 41);
  CHECK((*journal)[0].width == 16);
  for (std::size_t i = 1; i < journal->size(); ++i) {
    CHECK((*journal)[i].mode == Mode::captured);
    CHECK((*journal)[i].width == 1);
  }
  CHECK((*journal)[2].ids.front() == result.ids[0]);  // each step is fed what the one before chose
}

TEST_CASE("fewer than two tokens in the window give no rate, with the reason") {
  for (const std::int64_t tokens : {0, 1, 8, 9}) {
    FakeSession session{FakeScript{}};
    const auto result = probes::measure_e2e({"latest", &session}, {tokens, 8, 16, 1}, {});
    CAPTURE(tokens);
    CHECK(result.status == Status::ok);
    const auto metric = probes::metrics(result).at("e2e.tok_per_s");
    CHECK_FALSE(metric.value);
    CHECK(metric.status == Status::unmeasured);
    CHECK(metric.reason.find("at least 2") != std::string::npos);
    CHECK(probes::to_json(result)["tok_per_s"]["value"].is_null());
    CHECK(*probes::metrics(result).at("e2e.tokens").value == Approx(static_cast<double>(tokens)));
  }
}

TEST_CASE("e2e refuses what does not fit and marks non-finite output") {
  FakeScript script;
  script.context = 100;
  FakeSession small(script);
  CHECK_THROWS_AS(probes::measure_e2e({"latest", &small}, {85, 8, 16, 1}, {}), core::UsageError);
  CHECK_NOTHROW(probes::measure_e2e({"latest", &small}, {84, 8, 16, 1}, {}));
  CHECK_THROWS_AS(probes::measure_e2e({"latest", &small}, {-1, 8, 16, 1}, {}), core::UsageError);

  script.spoil = [](const FakeCall& call, std::int64_t, std::span<float> row) {
    if (call.past == 50) row[0] = std::numeric_limits<float>::quiet_NaN();
  };
  FakeSession spoiled(script);
  const auto result = probes::measure_e2e({"latest", &spoiled}, {60, 8, 16, 1}, {});
  CHECK(result.status == Status::invalid);
  CHECK_FALSE(probes::metrics(result).at("e2e.tok_per_s").value);
}
