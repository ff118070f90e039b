#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "engine/capture/census.hpp"
#include "engine/capture/machine.hpp"
#include "tests/catch.hpp"
#include "tests/engine/fake_executor.hpp"

using namespace gonogo;
using namespace gonogo::engine::capture;
using gonogo::tests::FakeExecutor;

namespace {

const Key kDecode{256, 1, Rows::all};
const Key kVerify{256, 8, Rows::all};

bool identity_holds(const Counters& c) { return c.captures + c.replays + c.warm_ups == c.steps; }

std::string census_of(FakeExecutor& executor, Machine& machine, const Key& key) {
  return to_string(census(machine.entry(key), executor.steps(key)).by_op);
}

}  // namespace

TEST_CASE("a capturable plan goes cold, warm, ready, and stays ready", "[capture]") {
  FakeExecutor executor;
  Machine machine(executor);
  CHECK(machine.entry(kDecode).state == State::cold);
  CHECK(machine.forward(kDecode) == Outcome::warm_up);
  CHECK(machine.entry(kDecode).state == State::warm);
  CHECK(machine.forward(kDecode) == Outcome::capture);
  CHECK(machine.entry(kDecode).state == State::ready);
  for (int i = 0; i < 3; ++i) CHECK(machine.forward(kDecode) == Outcome::replay);
  CHECK(executor.log == "e:abc [abc][abc][abc][abc]");  // the capturing forward yields its result too
  CHECK(executor.recordings == 1);
  CHECK(machine.counters().steps == 5);
  CHECK(machine.counters().warm_ups == 1);
  CHECK(machine.counters().captures == 1);
  CHECK(machine.counters().replays == 3);
  CHECK(machine.counters().declines == 0);
  CHECK(identity_holds(machine.counters()));
}

TEST_CASE("each bucket, width and choice of rows has a state of its own", "[capture]") {
  FakeExecutor executor;
  Machine machine(executor);
  for (const Key& key : {kDecode, kVerify, Key{256, 8, Rows::last}, Key{512, 8, Rows::all}}) {
    CHECK(machine.forward(key) == Outcome::warm_up);
    CHECK(machine.forward(key) == Outcome::capture);
  }
  for (const Key& key : {kDecode, kVerify, Key{256, 8, Rows::last}, Key{512, 8, Rows::all}})
    CHECK(machine.forward(key) == Outcome::replay);
  CHECK(identity_holds(machine.counters()));
}

TEST_CASE("segments are maximal runs and seams keep their place between them", "[capture]") {
  FakeExecutor executor;
  Machine machine(executor);
  struct Row {
    std::string plan, log;
    int segments, seam_runs, recorded, launches;
  };
  for (const Row& row :
       {Row{"abc", "[abc]", 1, 0, 3, 1}, Row{"aBc", "[a]B[c]", 2, 1, 2, 3}, Row{"ABcd", "AB[cd]", 1, 1, 2, 3},
        Row{"abCD", "[ab]CD", 1, 1, 2, 3}, Row{"aBBcD", "[a]BB[c]D", 2, 2, 2, 5}, Row{"a", "[a]", 1, 0, 1, 1}}) {
    CAPTURE(row.plan);
    machine.invalidate();
    executor.plan = row.plan;
    machine.forward(kVerify);
    executor.take_log();
    REQUIRE(machine.forward(kVerify) == Outcome::capture);
    CHECK(executor.take_log() == row.log);
    REQUIRE(machine.forward(kVerify) == Outcome::replay);
    CHECK(executor.take_log() == row.log);
    const Census counted = census(machine.entry(kVerify), executor.steps(kVerify));
    CHECK(counted.segments == row.segments);
    CHECK(counted.seam_runs == row.seam_runs);
    CHECK(counted.recorded_steps == row.recorded);
    CHECK(counted.launches() == row.launches);
    CHECK(counted.recorded_steps + counted.seams == static_cast<int>(row.plan.size()));
  }
}

TEST_CASE("a seam census names operator and reason, sorted", "[capture]") {
  FakeExecutor executor;
  executor.plan = "aXbXYczZ";
  executor.reasons = {{'z', SeamReason::growing_symbol},
                      {'Y', SeamReason::kernel_not_warmed},
                      {'b', SeamReason::host_control_flow},
                      {'Z', SeamReason::unresolved_shape}};
  Machine machine(executor);
  machine.forward(kVerify);
  machine.forward(kVerify);
  CHECK(census_of(executor, machine, kVerify) ==
        "X[KernelCaptureUnsupported] x 2, Y[KernelNotWarmed] x 1, Z[UnresolvedShape] x 1, b[HostControlFlow] x 1, "
        "z[GrowingSymbol] x 1");
  CHECK(to_string(std::vector<SeamCount>{}) == "none");
}

TEST_CASE("a plan without a capturable step is declined, with the reason, and runs eagerly ever after", "[capture]") {
  FakeExecutor executor;
  executor.plan = "ABC";
  Machine machine(executor);
  CHECK(machine.forward(kVerify) == Outcome::warm_up);
  for (int i = 0; i < 3; ++i) CHECK(machine.forward(kVerify) == Outcome::eager);
  CHECK(machine.entry(kVerify).state == State::declined);
  REQUIRE(machine.entry(kVerify).declined.has_value());
  CHECK(core::to_string(*machine.entry(kVerify).declined) == "steps that can be captured, at least: wanted 1, got 0");
  CHECK(executor.log == "e:ABC e:ABC e:ABC e:ABC ");
  CHECK(machine.counters().declines == 3);
  CHECK(machine.counters().warm_ups == 4);
  CHECK(identity_holds(machine.counters()));
}

TEST_CASE("a key that is not admitted is declined with that refusal and never recorded", "[capture]") {
  FakeExecutor executor;
  executor.admitted = core::refuse("outputs with a persistent binding", "all", "none");
  Machine machine(executor);
  machine.forward(kVerify);
  CHECK(machine.forward(kVerify) == Outcome::eager);
  CHECK(machine.entry(kVerify).declined->rule == "outputs with a persistent binding");
  CHECK(executor.recordings == 0);
  executor.admitted = core::accept();
  CHECK(machine.forward(kVerify) == Outcome::eager);  // declined holds until invalidated
  machine.invalidate();
  machine.forward(kVerify);
  CHECK(machine.forward(kVerify) == Outcome::capture);
}

TEST_CASE("invalidation makes every state cold, drops and counts the graphs that were ready", "[capture]") {
  FakeExecutor executor;
  Machine machine(executor);
  for (int i = 0; i < 3; ++i) machine.forward(kDecode);  // ready
  for (int i = 0; i < 2; ++i) machine.forward(kVerify);  // ready
  machine.forward({512, 1, Rows::all});                  // warm
  CHECK(executor.live_segments == 2);
  machine.invalidate();
  CHECK(machine.counters().invalidations == 2);
  CHECK(executor.live_segments == 0);
  CHECK(machine.entry(kDecode).state == State::cold);
  machine.invalidate();
  CHECK(machine.counters().invalidations == 2);
  CHECK(machine.forward(kDecode) == Outcome::warm_up);
  CHECK(identity_holds(machine.counters()));
}

TEST_CASE("an operator type that fails to record is quarantined and becomes a seam everywhere", "[capture]") {
  FakeExecutor executor;
  executor.plan = "abxcyx";
  executor.fails_to_record = "xy";
  Machine machine(executor);
  machine.forward(kVerify);
  executor.take_log();
  CHECK(machine.forward(kVerify) == Outcome::capture);
  CHECK(executor.take_log() == "[ab]x[c]yx");  // the failed attempts carried nothing out
  CHECK(census_of(executor, machine, kVerify) == "x[RecordingFailed] x 2, y[RecordingFailed] x 1");
  CHECK(machine.quarantined() == std::set<std::string, std::less<>>{"x", "y"});
  CHECK(executor.live_segments == 2);
  const int recordings = executor.recordings;
  machine.forward(kDecode);
  CHECK(machine.forward(kDecode) == Outcome::capture);
  CHECK(executor.recordings == recordings + 2);  // known beforehand: no failed attempt
}

TEST_CASE("a plan whose every operator fails to record is declined", "[capture]") {
  FakeExecutor executor;
  executor.fails_to_record = "abc";
  Machine machine(executor);
  machine.forward(kVerify);
  executor.take_log();
  CHECK(machine.forward(kVerify) == Outcome::eager);
  CHECK(executor.log == "e:abc ");
  CHECK(machine.quarantined().size() == 3);
}

TEST_CASE("a throw inside a recording leaves the machine usable, a hundred times over", "[capture]") {
  FakeExecutor executor;
  executor.plan = "aBcd";
  Machine machine(executor);
  machine.forward(kVerify);
  executor.throws_when_recorded = "d";
  executor.take_log();
  for (int i = 0; i < 100; ++i) CHECK_THROWS_AS(machine.forward(kVerify), std::runtime_error);
  CHECK(executor.log.empty());
  CHECK(executor.live_segments == 0);
  CHECK(machine.counters().steps == 1);
  CHECK(machine.entry(kVerify).state == State::warm);
  CHECK(machine.quarantined().empty());
  executor.throws_when_recorded.clear();
  CHECK(machine.forward(kVerify) == Outcome::capture);
  CHECK(machine.forward(kVerify) == Outcome::replay);
  CHECK(executor.log == "[a]B[cd][a]B[cd]");
  CHECK(identity_holds(machine.counters()));
}

TEST_CASE("a throw while running leaves state and counters as they were in every state", "[capture]") {
  FakeExecutor executor;
  executor.plan = "aB";
  Machine machine(executor);
  for (const State state : {State::cold, State::warm, State::ready}) {
    CAPTURE(name_of(state));
    REQUIRE(machine.entry(kVerify).state == state);
    const Counters before = machine.counters();
    for (const char* letter : {"a", "B"}) {
      executor.throws_when_run = letter;
      CHECK_THROWS_AS(machine.forward(kVerify), std::runtime_error);
      CHECK(machine.entry(kVerify).state == state);
      CHECK(machine.counters().steps == before.steps);
      CHECK(identity_holds(machine.counters()));
    }
    executor.throws_when_run.clear();
    machine.forward(kVerify);
  }
  CHECK(machine.counters().replays == 1);
}

TEST_CASE("allocations are read across the capturing forward, seams included", "[capture]") {
  FakeExecutor executor;
  Machine machine(executor);
  machine.forward(kVerify);
  machine.forward(kVerify);
  CHECK(executor.counts.allocations == 2);  // the warm-up took what the capture needs
  CHECK(machine.entry(kVerify).capture_allocations == core::AllocationCounts{0, 0, 0});
  machine.invalidate();
  executor.plan = "aBCd";  // what seams allocate during the capture is seen, not hidden
  machine.forward(kVerify);
  machine.forward(kVerify);
  CHECK(machine.entry(kVerify).capture_allocations == core::AllocationCounts{2, 0, 0});
}

TEST_CASE("the identity and the state rules hold after any sequence of operations", "[capture]") {
  const auto seed = static_cast<std::uint32_t>(std::random_device{}());
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<std::uint32_t>(n)); };
  const auto sometimes = [&](int one_in, char letter) { return std::string(pick(one_in) == 0 ? 1U : 0U, letter); };
  FakeExecutor executor;
  Machine machine(executor);
  const std::vector<std::string> plans{"abc", "aBc", "ABC", "xay", "a"};
  int invalidated = 0;
  for (int i = 0; i < 5000; ++i) {
    const Key key{pick(2) == 0 ? 256 : 512, 1 + pick(3), pick(2) == 0 ? Rows::all : Rows::last};
    executor.throws_when_recorded = sometimes(10, 'a');
    executor.throws_when_run = sometimes(10, 'a');
    executor.fails_to_record = sometimes(20, 'x');
    executor.admitted = pick(20) == 0 ? core::refuse("fake", 1, 0) : core::accept();
    const State before = machine.entry(key).state;
    const Counters counted = machine.counters();
    if (pick(25) == 0) {
      machine.invalidate();
      executor.plan = plans[static_cast<std::size_t>(pick(5))];  // plans change only when graphs are dropped
      ++invalidated;
      REQUIRE(machine.entry(key).state == State::cold);
      REQUIRE(executor.live_segments == 0);
    } else {
      try {
        const Outcome outcome = machine.forward(key);
        const State after = machine.entry(key).state;
        const bool allowed = (before == State::cold && outcome == Outcome::warm_up && after == State::warm) ||
                             (before == State::warm && outcome == Outcome::capture && after == State::ready) ||
                             (before == State::warm && outcome == Outcome::eager && after == State::declined) ||
                             (before == State::ready && outcome == Outcome::replay && after == State::ready) ||
                             (before == State::declined && outcome == Outcome::eager && after == State::declined);
        REQUIRE(allowed);
        REQUIRE(machine.counters().steps == counted.steps + 1);
      } catch (const std::runtime_error&) {
        REQUIRE(machine.entry(key).state == before);
        REQUIRE(machine.counters().steps == counted.steps);
      }
    }
    REQUIRE(identity_holds(machine.counters()));
    REQUIRE(machine.counters().declines <= machine.counters().warm_ups);
  }
  CHECK(invalidated > 50);
  CHECK(machine.counters().captures > 50);
  CHECK(machine.counters().replays > 50);
  CHECK(machine.counters().declines > 50);
}
