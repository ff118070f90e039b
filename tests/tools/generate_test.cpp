// Greedy generation over a scripted session.
#include "tools/generate.hpp"

#include <limits>

#include "harness/core/error.hpp"
#include "tests/catch.hpp"
#include "tests/tools/fake_reference.hpp"

namespace gonogo::tests {
namespace {

using engine::Mode;
using engine::StepKind;
using Ids = std::vector<std::int64_t>;

std::vector<tools::GeneratedStep> generate(const FakeScript& script, const Ids& prompt, std::int64_t count,
                                           Mode mode = Mode::captured) {
  FakeSession session(script);
  return tools::generate(session, prompt, count, mode);
}

TEST_CASE("each id is the greedy one of what came before, with the gap to the next", "[tools]") {
  FakeSession session{FakeScript{}};
  const tools::Reference wanted = recorded_from(session, {3, 1, 4}, 6);
  for (const Mode mode : {Mode::eager, Mode::captured}) {
    const auto steps = generate({}, {3, 1, 4}, 6, mode);
    REQUIRE(steps.size() == 6);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      CHECK(steps[i].id == wanted.ids[i]);
      CHECK(steps[i].gap == wanted.gaps[i]);
      CHECK(steps[i].wall_ns == 1'000'000);
    }
  }
}

TEST_CASE("the prompt is one eager forward, the last id is not fed back, and only the asked mode runs after it",
          "[tools]") {
  FakeScript script;
  (void)generate(script, {3, 1, 4}, 5);
  const auto& calls = *script.journal;
  REQUIRE(calls.size() == 5);
  CHECK(calls[0].width == 3);
  CHECK(calls[0].kind == StepKind::eager);
  const StepKind kinds[] = {StepKind::warm_up, StepKind::capture, StepKind::replay, StepKind::replay};
  for (std::size_t i = 1; i < 5; ++i) {
    CHECK(calls[i].width == 1);
    CHECK(calls[i].past == static_cast<std::int64_t>(i) + 2);
    CHECK(calls[i].kind == kinds[i - 1]);
  }
  FakeScript eager;
  (void)generate(eager, {3}, 3, Mode::eager);
  for (const FakeCall& call : *eager.journal) CHECK(call.kind == StepKind::eager);
}

TEST_CASE("as many tokens as the context holds are generated, and one more is refused before the first", "[tools]") {
  FakeScript script;
  script.context = 10;
  CHECK(generate(script, Ids(4, 1), 7).size() == 7);  // the last is not in the cache
  CHECK(generate(script, Ids(10, 1), 1).size() == 1);
  script.journal->clear();
  for (const auto& [prompt, count] : {std::pair<std::size_t, int>{4, 8}, {10, 2}, {11, 1}}) {
    try {
      (void)generate(script, Ids(prompt, 1), count);
      FAIL("not refused");
    } catch (const core::UsageError& error) {
      CHECK(std::string(error.what()).find("the context holds 10") != std::string::npos);
    }
  }
  CHECK(script.journal->empty());
}

TEST_CASE("no tokens, no prompt, and ids outside the vocabulary are usage errors", "[tools]") {
  CHECK_THROWS_AS(generate({}, {1}, 0), core::UsageError);
  CHECK_THROWS_AS(generate({}, {1}, -3), core::UsageError);
  CHECK_THROWS_AS(generate({}, {}, 1), core::UsageError);
  CHECK_THROWS_AS(generate({}, {64}, 1), core::UsageError);
  CHECK_THROWS_AS(generate({}, {-1}, 1), core::UsageError);
}

TEST_CASE("a logit that is not finite ends generation and names the step", "[tools]") {
  FakeScript script;
  script.spoil = [](const FakeCall& call, std::int64_t, std::span<float> logits) {
    if (call.past == 4) logits[0] = std::numeric_limits<float>::infinity();
  };
  try {
    (void)generate(script, {1, 2}, 6);
    FAIL("not refused");
  } catch (const core::ResultError& error) {
    CHECK(std::string(error.what()).find("step 3") != std::string::npos);
  }
}

TEST_CASE("with one logit there is no gap", "[tools]") {
  FakeScript script;
  script.vocab = 1;
  CHECK(generate(script, {0}, 2).at(1).gap == 0);
}

}  // namespace
}  // namespace gonogo::tests
