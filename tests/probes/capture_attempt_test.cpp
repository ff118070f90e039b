#include <algorithm>
#include <limits>

#include "harness/core/error.hpp"
#include "probes/capture_attempt.hpp"
#include "tests/catch.hpp"
#include "tests/probes/fake_session.hpp"

using namespace gonogo;
using probes::attempt_captures;
using probes::CaptureAttemptOptions;
using record::Status;
using tests::FakeCall;
using tests::FakeScript;
using tests::FakeSession;

namespace {

std::vector<probes::CaptureAttempt> measure(FakeScript script, CaptureAttemptOptions options) {
  FakeSession session(std::move(script));
  return attempt_captures({"latest", &session}, options, {});
}

CaptureAttemptOptions widths(std::vector<std::int64_t> m_list) {
  CaptureAttemptOptions options;
  options.m_list = std::move(m_list);
  return options;
}

}  // namespace

TEST_CASE("a whole capture has one segment, no seams, and no allocation across it") {
  const auto attempts = measure(FakeScript{}, widths({1, 8}));
  REQUIRE(attempts.size() == 2);
  for (const auto& a : attempts) {
    CHECK(a.status == Status::ok);
    CHECK(a.captured);
    CHECK(a.forwards == 3);
    CHECK(a.state.segments == 1);
  }
  const auto all = probes::metrics(attempts[1]);
  CHECK(*all.at("capture.captured/m=8").value == Approx(1));
  CHECK(*all.at("capture.segments/m=8").value == Approx(1));
  CHECK(*all.at("capture.seams/m=8").value == Approx(0));
  CHECK(*all.at("capture.allocs/m=8").value == Approx(0));
  CHECK(probes::seams_json(attempts)[1]["census"] == "none");
}

TEST_CASE("seams are counted as Op[Reason] x n") {
  FakeScript script;
  script.seams = {{"GroupQueryAttention", "KernelCaptureUnsupported", "portable", 3},
                  {"GroupQueryAttention", "KernelCaptureUnsupported", "other", 1},
                  {"MatMul", "KernelNotWarmed", "tiled", 1}};
  const auto attempts = measure(script, widths({8}));
  CHECK(probes::seams_json(attempts)[0]["census"] ==
        "GroupQueryAttention[KernelCaptureUnsupported] x 4, MatMul[KernelNotWarmed] x 1");
  CHECK(*probes::metrics(attempts[0]).at("capture.seams/m=8").value == Approx(5));
}

TEST_CASE("allocations are read cold, warm and across the capture, apart from each other") {
  FakeScript script;
  script.capture_allocations = {2, 1, 4096};
  auto journal = script.journal;
  script.allocations = [journal](const FakeCall& call) {
    const bool first = call.width == 8 &&
                       std::none_of(journal->begin(), journal->end(), [](const FakeCall& c) { return c.width == 8; });
    return first ? core::AllocationCounts{7, 1, 700} : core::AllocationCounts{};
  };
  const auto attempt = measure(script, widths({8})).front();
  REQUIRE(attempt.cold);
  REQUIRE(attempt.warm);
  CHECK(*attempt.cold == core::AllocationCounts{7, 1, 700});
  CHECK(*attempt.warm == core::AllocationCounts{});
  const auto all = probes::metrics(attempt);
  CHECK(*all.at("capture.cold_allocs/m=8").value == Approx(8));
  CHECK(*all.at("capture.warm_allocs/m=8").value == Approx(0));
  CHECK(*all.at("capture.allocs/m=8").value == Approx(3));
}

TEST_CASE("a declined capture is a measured 0, with the refusal; figures of the missing graph are unmeasured") {
  FakeScript script;
  script.declined = core::Refusal{"capturable steps, at least", "1", "0"};
  const auto attempt = measure(script, widths({8})).front();
  CHECK(attempt.status == Status::ok);
  CHECK_FALSE(attempt.captured);
  CHECK(attempt.forwards == 1);
  const auto all = probes::metrics(attempt);
  CHECK(*all.at("capture.captured/m=8").value == Approx(0));
  CHECK(all.at("capture.allocs/m=8").status == Status::unmeasured);
  CHECK(all.at("capture.seams/m=8").reason.find("capturable steps") != std::string::npos);
}

TEST_CASE("a fault or a NaN at one width does not lose the others") {
  FakeScript script;
  script.fault = [](const FakeCall& call) {
    if (call.width == 2) throw std::runtime_error("no such kernel");
  };
  script.spoil = [](const FakeCall& call, std::int64_t, std::span<float> row) {
    if (call.width == 4) row[0] = std::numeric_limits<float>::quiet_NaN();
  };
  const auto attempts = measure(script, widths({1, 2, 4, 8}));
  REQUIRE(attempts.size() == 4);
  CHECK(attempts[0].captured);
  CHECK(attempts[1].status == Status::failed);
  CHECK(attempts[1].reason == "no such kernel");
  CHECK(attempts[2].status == Status::invalid);
  CHECK(attempts[3].captured);
}

TEST_CASE("widths below 1 or beyond the context are usage errors") {
  CHECK_THROWS_AS(measure(FakeScript{}, widths({0})), core::UsageError);
  CHECK_THROWS_AS(measure(FakeScript{}, widths({})), core::UsageError);
  CHECK_THROWS_AS(measure(FakeScript{}, widths({5000})), core::UsageError);
}
