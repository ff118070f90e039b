#include <cmath>
#include <limits>
#include <set>

#include "harness/core/error.hpp"
#include "probes/m_curve.hpp"
#include "tests/catch.hpp"
#include "tests/probes/fake_session.hpp"

using namespace gonogo;
using engine::ForwardTimes;
using engine::Mode;
using engine::StepKind;
using engine::Wanted;
using probes::measure_m_scaling;
using probes::MScalingOptions;
using record::Status;
using tests::FakeCall;
using tests::FakeScript;
using tests::FakeSession;

namespace {

// Captured: 2 ms for one row, 3 ms + 0.5 ms a row beyond; eager: twice that, and 1 ms faster for two rows than for one.
ForwardTimes scripted(const FakeCall& call) {
  const auto rows = static_cast<double>(call.width);
  double ms = rows == 1 ? 2 : 3 + 0.5 * (rows - 2);
  if (call.mode == Mode::eager) ms = rows == 1 ? 8 : 7 + (rows - 2);
  return {static_cast<std::int64_t>(ms * 1e6), call.width * 100'000, 50'000};
}

MScalingOptions quick(std::vector<std::int64_t> pasts = {300}) { return {{1, 2, 4, 8}, std::move(pasts), 4, 2, 5}; }

probes::MScalingResult measure(FakeScript script, const MScalingOptions& options = quick()) {
  FakeSession session(std::move(script));
  const probes::Subject subject{"latest", &session};
  auto results = measure_m_scaling({&subject, 1}, options, {});
  REQUIRE(results.size() == 1);
  return results.front();
}

double value(const probes::Figure& figure) {
  CAPTURE(figure.reason);
  REQUIRE(figure.value);
  return *figure.value;
}

}  // namespace

TEST_CASE("cliff, tail, pieces and B* follow their definitions, each within one mode") {
  FakeScript script;
  script.times = scripted;
  const auto result = measure(script);
  CHECK(result.complete);
  REQUIRE(result.cells.size() == 8);
  const auto figures = probes::curve_figures(result, std::nullopt);
  REQUIRE(figures.size() == 1);
  const auto& at = figures.front();
  CHECK(at.bucket == 512);
  // wall = gpu + 0.1 ms d2h a row + 0.05 ms host.
  CHECK(value(at.captured.cliff_ms) == Approx(1.0 + 0.1));
  CHECK(value(at.captured.tail_ms_per_row) == Approx(0.5 + 0.1));
  CHECK(value(at.eager.tail_ms_per_row) == Approx(1.0 + 0.1));
  REQUIRE(at.bstars.size() == 3);
  CHECK(at.bstars[2].k == 8);
  CHECK(value(at.bstars[2].replay) == Approx(6.0 / 2.0));
  CHECK(value(at.bstars[2].verify) == Approx((6.0 + 0.8) / (2.0 + 0.1)));
  CHECK(value(at.bstars[2].decode_gpu_ms) == Approx(2.0));
  CHECK(value(at.bstars[2].verify_gpu_ms) == Approx(6.0));
}

TEST_CASE("a negative cliff stays negative") {
  FakeScript script;
  script.times = scripted;
  const auto figures = probes::curve_figures(measure(script), std::nullopt);
  CHECK(value(figures.front().eager.cliff_ms) == Approx(-1.0 + 0.1));
}

TEST_CASE("piecewise slopes name the kernels at both ends") {
  FakeScript script;
  script.times = scripted;
  const auto figures = probes::curve_figures(measure(script), std::nullopt);
  const auto& pieces = figures.front().captured.pieces;
  REQUIRE(pieces.size() == 3);
  CHECK(pieces[2].from == 4);
  CHECK(pieces[2].to == 8);
  CHECK(pieces[2].ms_per_row == Approx(0.6));
  REQUIRE(pieces[2].from_kernels.size() == 1);
  CHECK(pieces[2].from_kernels[0].kernel == "narrow");
  CHECK(pieces[2].to_kernels[0].kernel == "wide");
}

TEST_CASE("captured samples are replays and eager samples are eager, after warm-ups that are not timed") {
  auto journal = std::make_shared<std::vector<FakeCall>>();
  FakeScript script;
  script.journal = journal;
  const auto result = measure(script);
  for (const auto& cell : result.cells) {
    CAPTURE(cell.m, static_cast<int>(cell.mode));
    CHECK(cell.status == Status::ok);
    CHECK(cell.samples.size() == 4);
    CHECK(cell.warmups >= 2);
    CHECK(cell.warm_flat);
  }
  // The last call of each captured point and all four before it were replays at the right length.
  std::size_t captured = 0;
  for (const auto& call : *journal)
    if (call.mode == Mode::captured) {
      CHECK(call.past == 300);
      ++captured;
    }
  CHECK(captured > 4 * 4);
}

TEST_CASE("warm-up goes on until the path is the replay, however few warm-ups were asked") {
  FakeScript script;
  auto options = quick();
  options.warmups = 0;
  const auto result = measure(script, options);
  const auto* cell = result.find(1, 300, Mode::captured);
  REQUIRE(cell != nullptr);
  CHECK(cell->status == Status::ok);
  CHECK(cell->warmups >= 3);  // a warm-up, the capture, and at least one replay
}

TEST_CASE("inputs are not one constant id") {
  auto journal = std::make_shared<std::vector<FakeCall>>();
  FakeScript script;
  script.journal = journal;
  (void)measure(script);
  std::size_t wide = 0;
  for (const auto& call : *journal)
    if (call.width == 8) {
      ++wide;
      CHECK(std::set<std::int64_t>(call.ids.begin(), call.ids.end()).size() > 2);
    }
  CHECK(wide > 0);
}

TEST_CASE("stacks are interleaved sample by sample, and neither is always second") {
  auto journal = std::make_shared<std::vector<FakeCall>>();
  FakeScript a, b;
  a.name = "a";
  b.name = "b";
  a.journal = b.journal = journal;
  FakeSession first(a), second(b);
  const std::vector<probes::Subject> subjects{{"a", &first}, {"b", &second}};
  MScalingOptions options = quick();
  options.m_list = {1};
  (void)measure_m_scaling(subjects, options, {});
  // The first eager point: the calls before it are priming and each stack's warm-up.
  std::string order;
  for (const auto& call : *journal) {
    if (call.mode == Mode::captured) break;
    if (call.width == 1 && call.wanted == Wanted::all_ids) order += call.session;
  }
  REQUIRE(order.size() >= 8);
  CHECK(order.substr(order.size() - 8) == "abbaabba");
}

TEST_CASE("a length whose widest forward crosses a bucket edge is measured on both sides") {
  using Lengths = std::vector<std::int64_t>;
  CHECK(probes::lengths_to_measure(quick({512}), 4096) == Lengths{504, 512});
  CHECK(probes::lengths_to_measure(quick({510}), 4096) == Lengths{504, 510});
  CHECK(probes::lengths_to_measure(quick({504}), 4096) == Lengths{504});
  CHECK(probes::lengths_to_measure(quick({100, 1024}), 4096) == Lengths{100, 1016, 1024});
  CHECK(probes::lengths_to_measure(quick({512}), 520) == Lengths{504, 512});
  CHECK(probes::lengths_to_measure(quick({504}), 512) == Lengths{504});  // the context is no edge: nothing grows there

  const auto result = measure(FakeScript{}, quick({512}));
  REQUIRE(result.find(8, 504, Mode::captured) != nullptr);
  REQUIRE(result.find(1, 512, Mode::captured) != nullptr);
  CHECK(result.find(8, 504, Mode::captured)->bucket == 512);
  CHECK(result.find(1, 504, Mode::captured)->bucket == 512);
  CHECK(result.find(1, 512, Mode::captured)->bucket == 1024);
}

TEST_CASE("widths and lengths out of range are usage errors with the numbers") {
  CHECK_THROWS_AS(probes::lengths_to_measure({{0, 1}, {10}, 1, 0, 1}, 512), core::UsageError);
  CHECK_THROWS_AS(probes::lengths_to_measure({{}, {10}, 1, 0, 1}, 512), core::UsageError);
  CHECK_THROWS_AS(probes::lengths_to_measure({{1}, {}, 1, 0, 1}, 512), core::UsageError);
  CHECK_THROWS_AS(probes::lengths_to_measure({{1}, {-1}, 1, 0, 1}, 512), core::UsageError);
  CHECK_THROWS_AS(probes::lengths_to_measure({{1}, {10}, 0, 0, 1}, 512), core::UsageError);
  try {
    (void)probes::lengths_to_measure(quick({505}), 512);
    FAIL("505 + 8 does not fit in 512");
  } catch (const core::UsageError& error) {
    CHECK(std::string(error.what()).find("513") != std::string::npos);
    CHECK(std::string(error.what()).find("504") != std::string::npos);
  }
}

TEST_CASE("a fault at one width is a status of that cell, and the rest is measured") {
  FakeScript script;
  script.fault = [](const FakeCall& call) {
    if (call.width == 4) throw std::runtime_error("kernel assert at batch 4");
  };
  const auto result = measure(script);
  CHECK(result.complete);
  REQUIRE(result.cells.size() == 8);
  for (const auto& cell : result.cells) {
    CHECK((cell.status == Status::failed) == (cell.m == 4));
    if (cell.m == 4) CHECK(cell.reason == "kernel assert at batch 4");
  }
  const auto all = probes::metrics(result, std::nullopt);
  const auto& failed = all.at("bstar.replay/m=4/past=300");
  CHECK_FALSE(failed.value);
  CHECK(failed.status == Status::failed);
  CHECK(all.at("bstar.replay/m=8/past=300").value);
}

TEST_CASE("non-finite logits make the cell invalid") {
  FakeScript script;
  script.spoil = [](const FakeCall& call, std::int64_t, std::span<float> row) {
    if (call.width == 2) row[3] = std::numeric_limits<float>::quiet_NaN();
  };
  const auto result = measure(script);
  CHECK(result.find(2, 300, Mode::captured)->status == Status::invalid);
  CHECK(result.find(2, 300, Mode::eager)->status == Status::invalid);
  CHECK(result.find(1, 300, Mode::captured)->status == Status::ok);
}

TEST_CASE("captured logits that differ from the eager ones make the captured cell invalid, and B* with it") {
  FakeScript script;
  script.spoil = [](const FakeCall& call, std::int64_t row, std::span<float> logits) {
    if (call.mode == Mode::captured && call.width == 8 && row == 7) logits[0] = std::nextafter(logits[0], 100.0F);
  };
  const auto result = measure(script);
  CHECK(result.find(8, 300, Mode::captured)->status == Status::invalid);
  CHECK(result.find(8, 300, Mode::eager)->status == Status::ok);
  CHECK(result.find(4, 300, Mode::captured)->status == Status::ok);
  const auto metric = probes::metrics(result, std::nullopt).at("bstar.verify/m=8/past=300");
  CHECK(metric.status == Status::invalid);
  CHECK_FALSE(metric.value);
}

TEST_CASE("a declined capture leaves eager cells, and captured ones that say why") {
  FakeScript script;
  script.declined = core::Refusal{"capturable steps, at least", "1", "0"};
  const auto result = measure(script);
  CHECK(result.find(8, 300, Mode::eager)->status == Status::ok);
  const auto* captured = result.find(8, 300, Mode::captured);
  CHECK(captured->status == Status::failed);
  CHECK(captured->reason.find("declined") != std::string::npos);
  CHECK(captured->samples.empty());
}

TEST_CASE("a sample that leaves the replay path makes the cell invalid") {
  FakeScript script;
  script.replays_until_drop = 10;
  MScalingOptions options = quick();
  options.iters = 12;
  const auto result = measure(script, options);
  const auto* cell = result.find(1, 300, Mode::captured);
  CHECK(cell->status == Status::invalid);
  CHECK(cell->reason.find("left the measured path") != std::string::npos);
}

TEST_CASE("drift is the first point measured again after all others") {
  FakeScript script;
  auto calls = std::make_shared<int>(0);
  script.times = [calls](const FakeCall& call) {
    const bool late = ++*calls > 60;  // after the first point, before the last
    return ForwardTimes{late && call.width == 1 ? 1'100'000 : 1'000'000, 0, 0};
  };
  const auto result = measure(script);
  REQUIRE(result.drifts.size() == 1);
  CHECK(value(result.drifts[0].share) == Approx(0.1));
}

TEST_CASE("the roofline share is modelled bytes over bandwidth and time; above 100 % the row is invalid") {
  FakeScript script;
  script.times = scripted;
  auto result = measure(script);
  // Width 1 at past 300: 1,000,000 + 1,000 + 30,000 bytes in 2 ms.
  const probes::ReadBandwidth fast{
      .bytes_per_second = 1e9, .working_set = 1, .threads = 1, .repetitions = 1, .last_level_cache = 0};
  const auto share = probes::roofline_share(*result.find(1, 300, Mode::captured), fast);
  CHECK(value(share) == Approx(1'031'000 / (1e9 * 2e-3)));
  probes::invalidate_impossible(result, fast);
  CHECK(result.find(1, 300, Mode::captured)->status == Status::ok);

  const probes::ReadBandwidth slow{
      .bytes_per_second = 5e8, .working_set = 1, .threads = 1, .repetitions = 1, .last_level_cache = 0};
  probes::invalidate_impossible(result, slow);
  CHECK(result.find(1, 300, Mode::captured)->status == Status::invalid);
  CHECK(result.find(8, 300, Mode::captured)->status == Status::ok);
  CHECK(probes::metrics(result, slow).at("decode.gpu_ms/past=300").status == Status::invalid);
  CHECK(probes::metrics(result, std::nullopt).at("roofline.share/m=8/past=300").status == Status::unmeasured);
}

TEST_CASE("an interrupt leaves the points measured so far and marks the rest") {
  FakeScript script;
  FakeSession session(script);
  const probes::Subject subject{"latest", &session};
  probes::Monitor monitor;
  monitor.interrupted = [&] { return session.calls().size() > 40; };
  const auto result = measure_m_scaling({&subject, 1}, quick(), monitor).front();
  CHECK_FALSE(result.complete);
  CHECK(result.cells.size() < 8);
  REQUIRE_FALSE(result.cells.empty());
  CHECK(result.cells.front().status == Status::ok);
  CHECK(result.cells.front().samples.size() == 4);
  CHECK(probes::metrics(result, std::nullopt).at("eager.gpu_ms/m=1/past=300").value);
}

TEST_CASE("flat metrics carry the names, units and directions gates rely on") {
  FakeScript script;
  script.times = scripted;
  const auto all = probes::metrics(measure(script), std::nullopt);
  const auto& decode = all.at("decode.gpu_ms/past=300");
  CHECK(*decode.value == Approx(2.0));
  CHECK(decode.unit == "ms");
  CHECK(decode.better == record::Better::lower);
  CHECK(*all.at("decode.gpu_ms_min/past=300").value == Approx(2.0));
  CHECK(*all.at("verify.gpu_ms/m=8/past=300").value == Approx(6.0));
  CHECK(*all.at("eager.gpu_ms/m=8/past=300").value == Approx(13.0));
  CHECK(*all.at("cliff.captured_ms/past=300").value == Approx(1.1));
  CHECK(*all.at("tail.eager_ms_per_row/past=300").value == Approx(1.1));
  CHECK(*all.at("bstar.replay/m=8/past=300").value == Approx(3.0));
  CHECK(all.count("verify.gpu_ms/m=1/past=300") == 0);
}

TEST_CASE("without M = 1 there is no cliff and no B*, and the reason says so") {
  FakeScript script;
  auto options = quick();
  options.m_list = {4, 8};
  const auto figures = probes::curve_figures(measure(script, options), std::nullopt).front();
  CHECK_FALSE(figures.captured.cliff_ms.value);
  CHECK_FALSE(figures.captured.cliff_ms.reason.empty());
  REQUIRE(figures.bstars.size() == 2);
  CHECK_FALSE(figures.bstars[0].replay.value);
  CHECK(figures.captured.tail_ms_per_row.value);
}
