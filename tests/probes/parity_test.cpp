#include <cmath>
#include <limits>

#include "harness/core/error.hpp"
#include "probes/parity.hpp"
#include "tests/catch.hpp"
#include "tests/probes/fake_session.hpp"

using namespace gonogo;
using engine::Mode;
using probes::classify_greedy;
using probes::DivergenceProbes;
using probes::GreedyOutcome;
using probes::TieEvidence;
using record::Status;
using tests::FakeCall;
using tests::FakeScript;
using tests::FakeSession;
using Ids = std::vector<std::int64_t>;

namespace {

probes::ParityResult measure(FakeScript script) {
  FakeSession session(std::move(script));
  const probes::Subject subject{"latest", &session};
  auto results = probes::measure_parity({&subject, 1}, {.m_list = {1, 8}, .tolerance = {}}, {});
  REQUIRE(results.size() == 1);
  return results.front();
}

DivergenceProbes probes_of(std::vector<Ids> reruns, TieEvidence evidence) {
  auto next = std::make_shared<std::size_t>(0);
  return {[reruns, next] { return reruns[(*next)++ % reruns.size()]; }, [evidence](std::int64_t) { return evidence; }};
}

const TieEvidence kWide{.gap = 1.0, .delta = 1e-5, .tolerance = 1e-3};
const TieEvidence kTie{.gap = 1e-4, .delta = 1e-5, .tolerance = 1e-3};

}  // namespace

TEST_CASE("equal streams are identical, and nothing is run again") {
  DivergenceProbes none{[]() -> Ids { throw std::logic_error("rerun"); },
                        [](std::int64_t) -> TieEvidence { throw std::logic_error("evidence"); }};
  const auto result = classify_greedy(Ids{1, 2, 3}, Ids{1, 2, 3}, none);
  CHECK(result.outcome == GreedyOutcome::identical);
  CHECK(result.reruns == 0);
  CHECK(classify_greedy(Ids{}, Ids{}, none).outcome == GreedyOutcome::identical);
}

TEST_CASE("only the first divergence is judged, and a stable reference with a clear lead makes it a regression") {
  const Ids reference{1, 2, 3, 4};
  const auto result = classify_greedy(reference, Ids{1, 2, 9, 8}, probes_of({reference}, kWide));
  CHECK(result.outcome == GreedyOutcome::regression);
  CHECK(result.position == 2);
  CHECK(result.reference_id == 3);
  CHECK(result.candidate_id == 9);
  CHECK(result.reruns == 4);
  CHECK_FALSE(result.right());
}

TEST_CASE("a small lead is a near tie only while the logits agree within the tolerance") {
  const Ids reference{1, 2, 3};
  CHECK(classify_greedy(reference, Ids{1, 2, 9}, probes_of({reference}, kTie)).outcome == GreedyOutcome::near_tie);
  const TieEvidence apart{.gap = 1e-4, .delta = 5e-3, .tolerance = 1e-3};
  CHECK(classify_greedy(reference, Ids{1, 2, 9}, probes_of({reference}, apart)).outcome == GreedyOutcome::regression);
  const TieEvidence nan{.gap = 1e-4, .delta = std::numeric_limits<double>::quiet_NaN(), .tolerance = 1e-3};
  CHECK(classify_greedy(reference, Ids{1, 2, 9}, probes_of({reference}, nan)).outcome == GreedyOutcome::regression);
}

TEST_CASE("a reference that flips there itself is a near tie, and one that never repeats its prefix is unstable") {
  const Ids reference{1, 2, 3};
  const auto flips =
      classify_greedy(reference, Ids{1, 2, 9}, probes_of({reference, {1, 2, 9}, reference, reference}, kWide));
  CHECK(flips.outcome == GreedyOutcome::near_tie);
  CHECK(flips.reruns_that_differ == 1);
  const auto unstable = classify_greedy(reference, Ids{1, 2, 9}, probes_of({{7, 7, 7}}, kWide));
  CHECK(unstable.outcome == GreedyOutcome::near_tie);
  CHECK(unstable.prefix_unstable);
}

TEST_CASE("streams of different length with an equal start are a length mismatch, not identical") {
  const auto result = classify_greedy(Ids{1, 2, 3}, Ids{1, 2}, probes_of({{1}}, kTie));
  CHECK(result.outcome == GreedyOutcome::length_mismatch);
  CHECK_FALSE(result.right());
}

TEST_CASE("a sound session passes parity: bits equal, rows equal, ids equal, all finite") {
  const auto result = measure(FakeScript{});
  CHECK(result.status == Status::ok);
  CHECK(result.right());
  REQUIRE(result.widths.size() == 2);
  CHECK(result.widths[1].replayed);
  CHECK(result.greedy_ids.size() == 48);
  const auto all = probes::metrics(result);
  CHECK(*all.at("parity.captured_eager").value == Approx(1));
  CHECK(*all.at("parity.rows").value == Approx(1));
  CHECK(*all.at("parity.greedy").value == Approx(1));
  CHECK(*all.at("parity.nan").value == Approx(0));
}

TEST_CASE("one bit wrong in one captured row fails captured parity") {
  FakeScript script;
  script.spoil = [](const FakeCall& call, std::int64_t row, std::span<float> logits) {
    if (call.mode == Mode::captured && call.width == 8 && row == 5) logits[63] = std::nextafter(logits[63], 100.0F);
  };
  const auto result = measure(script);
  CHECK_FALSE(result.captured_eager());
  CHECK(result.rows());
  CHECK(result.why_wrong().find("M = 8") != std::string::npos);
  CHECK(*probes::metrics(result).at("parity.captured_eager").value == Approx(0));
}

TEST_CASE("one bit wrong in one wide row fails row parity on the cpu backend, and names the row") {
  FakeScript script;
  script.spoil = [](const FakeCall& call, std::int64_t row, std::span<float> logits) {
    if (call.width == 8 && row == 3) logits[0] = std::nextafter(logits[0], 100.0F);
  };
  const auto cpu = measure(script);
  CHECK(cpu.captured_eager());
  CHECK_FALSE(cpu.rows());
  CHECK(cpu.widths[1].rows_differ == 1);
  CHECK(cpu.widths[1].first_row == 3);
  script.backend = "cuda";
  CHECK(measure(script).rows());  // another backend has the stated tolerance
  script.spoil = [](const FakeCall& call, std::int64_t row, std::span<float> logits) {
    if (call.width == 8 && row == 3) logits[0] += 0.01F;
  };
  CHECK_FALSE(measure(script).rows());
}

TEST_CASE("a NaN anywhere is counted, fails parity and never compares as equal") {
  FakeScript script;
  script.spoil = [](const FakeCall& call, std::int64_t row, std::span<float> logits) {
    if (call.width == 8 && row == 0) logits[1] = std::numeric_limits<float>::quiet_NaN();
  };
  const auto result = measure(script);
  CHECK(result.non_finite > 0);
  CHECK_FALSE(result.right());
  CHECK(*probes::metrics(result).at("parity.nan").value > 0);
}

TEST_CASE("stacks are held against the first one's eager stream; a wrong stack is a regression, the right one is not") {
  FakeScript a, b;
  a.name = "before";
  b.name = "latest";
  b.spoil = [](const FakeCall& call, std::int64_t, std::span<float> logits) {
    if (call.past == 30) logits[7] += 100.0F;
  };
  FakeSession first(a), second(b);
  const std::vector<probes::Subject> subjects{{"before", &first}, {"latest", &second}};
  const auto results = probes::measure_parity(subjects, {.m_list = {1}, .tolerance = {}}, {});
  REQUIRE(results.size() == 2);
  CHECK(results[0].right());
  CHECK(results[1].reference == "before");
  REQUIRE(results[1].greedy);
  CHECK(results[1].greedy->outcome == GreedyOutcome::regression);
  CHECK(results[1].greedy->position == 15);  // 16 prompt ids: the step fed at past 30 gives the id at index 15
  CHECK(*probes::metrics(results[1]).at("parity.greedy").value == Approx(0));
}

TEST_CASE("what is never captured leaves captured parity unmeasured, not passed") {
  FakeScript script;
  script.declined = core::Refusal{"capturable steps, at least", "1", "0"};
  const auto result = measure(script);
  CHECK(result.status == Status::ok);
  CHECK_FALSE(result.captured_eager());
  CHECK(result.right());  // the output itself is right
  CHECK(probes::metrics(result).at("parity.captured_eager").status == Status::unmeasured);
}

TEST_CASE("a session that throws fails parity with its words") {
  FakeScript script;
  script.fault = [](const FakeCall& call) {
    if (call.width == 8) throw std::runtime_error("tile out of range");
  };
  const auto result = measure(script);
  CHECK(result.status == Status::failed);
  CHECK(result.why_wrong() == "tile out of range");
  CHECK(probes::metrics(result).at("parity.rows").status == Status::failed);
}

TEST_CASE("failed parity invalidates timings and leaves counts alone") {
  const auto ok = [](double value, const char* unit) { return record::measured(value, unit, record::Better::none); };
  probes::Metrics metrics{{"decode.gpu_ms/past=512", ok(1, "ms")},    {"stability.tok_per_s", ok(9, "tok/s")},
                          {"stability.growths", ok(2, "1")},          {"capture.seams/m=8", ok(0, "1")},
                          {"prefill.tok_per_s/l=64", ok(1, "tok/s")}, {"parity.rows", ok(0, "1")}};
  probes::invalidate_timings(metrics, "rows differ");
  CHECK(metrics.at("decode.gpu_ms/past=512").status == Status::invalid);
  CHECK_FALSE(metrics.at("decode.gpu_ms/past=512").value);
  CHECK(metrics.at("decode.gpu_ms/past=512").observed);  // kept for the reader, out of reach of gates
  CHECK(metrics.at("decode.gpu_ms/past=512").reason == "parity: rows differ");
  CHECK(metrics.at("stability.tok_per_s").status == Status::invalid);
  CHECK(metrics.at("prefill.tok_per_s/l=64").status == Status::invalid);
  CHECK(metrics.at("stability.growths").status == Status::ok);
  CHECK(metrics.at("capture.seams/m=8").status == Status::ok);
  CHECK(metrics.at("parity.rows").status == Status::ok);
}
