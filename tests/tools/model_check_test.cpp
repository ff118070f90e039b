// The check of recorded answers, held against sessions that are wrong in one place: each must be called wrong.
#include "tools/model_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/catch.hpp"
#include "tests/tools/fake_reference.hpp"

namespace gonogo::tests {
namespace {

using engine::Mode;
using engine::StepKind;
using tools::Reference;

Reference sound_reference() {
  FakeSession session{FakeScript{}};
  return recorded_from(session, {3, 1, 4, 1, 5, 9}, 8);
}

using Lines = std::vector<std::string>;
Lines check(const FakeScript& script, const Reference& reference) {
  FakeSession session(script);
  return tools::check_session(session, reference, {1e-4, 0});
}

bool says(const Lines& lines, const std::string& part) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

/// One bit of one logit of a row, wherever `where` holds.
FakeScript one_bit(std::function<bool(const FakeCall&, std::int64_t row)> where) {
  FakeScript script;
  script.spoil = [where = std::move(where)](const FakeCall& call, std::int64_t row, std::span<float> logits) {
    if (where(call, row)) logits[7] = std::nextafter(logits[7], 1e9F);
  };
  return script;
}

TEST_CASE("a session that gives the recorded answers has no failure", "[tools]") {
  CHECK(check(FakeScript{}, sound_reference()).empty());
}

TEST_CASE("a logit beyond the tolerance is wrong, with the distance; one within is right", "[tools]") {
  const auto moved = [](float by) {
    FakeScript script;
    // Position 8 is answer 3, however it is reached.
    script.spoil = [by](const FakeCall& call, std::int64_t row, std::span<float> logits) {
      const std::int64_t last = call.past + call.width - 1;
      const bool only = call.wanted == engine::Wanted::last_row;
      if ((only ? last : call.past + row) == 8) logits[0] += by;
    };
    return check(script, sound_reference());
  };
  CHECK(moved(2e-4F).empty());
  const Lines lines = moved(0.01F);
  REQUIRE(lines.size() == 1);
  CHECK(says(lines, "logits of answer 3: off by 0.01"));
}

TEST_CASE("a recorded id that is not the greedy one is wrong unless the recorded gap is within the tolerance",
          "[tools]") {
  Reference reference = sound_reference();
  const std::int64_t right = reference.ids.back();
  reference.ids.back() = right == 0 ? 1 : 0;  // the last is fed to nobody's row but its own
  CHECK(says(check(FakeScript{}, reference), "greedy id 7"));
  reference.gaps.back() = 1e-5;
  CHECK(check(FakeScript{}, reference).empty());
}

TEST_CASE("a prompt token with another greedy id than recorded is wrong", "[tools]") {
  Reference reference = sound_reference();
  reference.prefill_argmax[2] = (reference.prefill_argmax[2] + 1) % 64;
  const Lines lines = check(FakeScript{}, reference);
  REQUIRE(lines.size() == 1);
  CHECK(says(lines, "prompt token 2"));
}

TEST_CASE("another vocabulary is wrong by its size", "[tools]") {
  Reference reference = sound_reference();
  reference.logits[2].push_back(0);
  CHECK(says(check(FakeScript{}, reference), "vocabulary: wanted 65, got 64"));
}

TEST_CASE("one bit in one captured step, wide row or prompt row is wrong and says where", "[tools]") {
  const Reference reference = sound_reference();
  CHECK(says(check(one_bit([](const FakeCall& c, std::int64_t) {
                     return c.mode == Mode::captured && c.width == 1 && c.past == 5;
                   }),
                   reference),
             "captured width 1: row 5"));
  CHECK(says(check(one_bit([](const FakeCall& c, std::int64_t row) {
                     return c.mode == Mode::eager && c.width == 3 && c.past == 3 && row == 1;
                   }),
                   reference),
             "eager width 3: row 4"));
  CHECK(says(check(one_bit([](const FakeCall& c, std::int64_t row) {
                     return c.kind == StepKind::replay && c.width == 2 && row == 1;
                   }),
                   reference),
             "captured width 2"));
  CHECK(says(check(one_bit([](const FakeCall& c, std::int64_t) {
                     return c.width == 6 && c.wanted == engine::Wanted::last_row && c.kind == StepKind::replay;
                   }),
                   reference),
             "captured prompt, last row"));
}

TEST_CASE("a logit that is not finite is wrong wherever it comes up", "[tools]") {
  const Reference reference = sound_reference();
  for (const Mode mode : {Mode::eager, Mode::captured})
    for (const std::int64_t width : {1, 2, 8}) {
      FakeScript script;
      script.spoil = [&](const FakeCall& call, std::int64_t, std::span<float> logits) {
        if (call.mode == mode && call.width == width) logits[0] = std::numeric_limits<float>::quiet_NaN();
      };
      CAPTURE(width);
      CHECK(says(check(script, reference), "not finite"));
    }
}

TEST_CASE("tolerances are those of the type, wider only where the model asks for int8 activations", "[tools]") {
  CHECK(tools::tolerance_for("float32", false, false).relative == 1e-4);
  CHECK(tools::tolerance_for("float32", false, false).absolute == 0);
  CHECK(tools::tolerance_for("float16", false, false).relative == 2e-2);
  CHECK(tools::tolerance_for("float32", true, true).absolute == 1e-3);
  CHECK(tools::tolerance_for("float32", true, false).absolute == 0.2);
  CHECK(tools::tolerance_for("float32", false, true).absolute == 0);
}

TEST_CASE("what was wrong makes the exit code, what was refused does not", "[tools]") {
  using tools::Outcome;
  CHECK(tools::tell_counts({}) == core::ExitCode::ok);
  CHECK(tools::tell_counts({{Outcome::right, 3}, {Outcome::refused, 2}}) == core::ExitCode::ok);
  CHECK(tools::tell_counts({{Outcome::right, 3}, {Outcome::wrong, 0}}) == core::ExitCode::ok);
  CHECK(tools::tell_counts({{Outcome::right, 3}, {Outcome::wrong, 1}}) == core::ExitCode::failed_rows);
}

}  // namespace
}  // namespace gonogo::tests
