// The composed run over scripted sessions: what ends up in the record, whatever happens on the way.
#include <nlohmann/json.hpp>
#include <limits>

#include "harness/core/error.hpp"
#include "harness/record/schema_check.hpp"
#include "kernels/cpu.hpp"
#include "tests/catch.hpp"
#include "tests/probes/fake_session.hpp"
#include "tools/bench/output.hpp"
#include "tools/bench/run.hpp"
#include "tools/bench/tables.hpp"

using namespace gonogo;
using bench::Axis;
using core::ExitCode;
using engine::Mode;
using record::Status;
using tests::FakeCall;
using tests::FakeScript;
using tests::FakeSession;

namespace {

const std::set<Axis> kAll{Axis::parity,  Axis::m_scaling, Axis::capture, Axis::seams,
                          Axis::prefill, Axis::e2e,       Axis::dram};

bench::Options quick(std::set<Axis> axes = kAll) {
  bench::Options options;
  options.stacks = {engine::before_stack(), engine::latest_stack()};
  options.m_list = {1, 2, 4, 8};
  options.pasts = {300};
  options.pasts_given = true;
  options.iters = 3;
  options.warmups = 1;
  options.capture_steps = 50;
  options.e2e_tokens = 20;
  options.prefill_lens = {16, 64};
  options.prefill_iters = 2;
  options.axes = std::move(axes);
  options.effective = record::Json::object();
  return options;
}

record::RunRecord empty_record() {
  const char* argv[] = {"test"};
  record::RunRecord record;
  record.environment = record::describe_environment(1, argv);
  return record;
}

/// A run over scripts by stack name; every session of a stack follows the same script.
struct Fixture {
  explicit Fixture(bench::Options options = quick()) : record(empty_record()), asked(std::move(options)) {
    scripts["before"].name = "before";
    scripts["latest"].name = "latest";
  }
  ExitCode run(const probes::Monitor& monitor = {}) {
    const auto open = [this](const engine::Stack& stack) {
      return std::make_unique<FakeSession>(scripts.at(stack.name));
    };
    bench::Run run(asked, {.open = open}, record);
    run.prepare();
    run.measure(monitor, [this](Axis axis) {
      finished.push_back(axis);
      // The record is valid at every flush, not only at the end.
      const auto fault = record::schema_fault(record::to_json(record), record::schema());
      INFO((fault ? fault->place + ": " + fault->what : ""));
      CHECK_FALSE(fault);
    });
    return run.outcome();
  }
  const record::Metric& metric(const std::string& stack, const std::string& name) {
    for (const auto& s : record.stacks)
      if (s.name == stack) return s.metrics.at(name);
    throw std::out_of_range(stack);
  }

  std::map<std::string, FakeScript> scripts;
  record::RunRecord record;
  bench::Options asked;
  std::vector<Axis> finished;
};

}  // namespace

TEST_CASE("a sound run is complete, valid against the schema, and has every metric gates name") {
  Fixture fixture;
  CHECK(fixture.run() == ExitCode::ok);
  CHECK(fixture.record.complete);
  CHECK(fixture.finished.size() == kAll.size());
  CHECK(fixture.finished.front() == Axis::parity);
  for (const std::string stack : {"before", "latest"})
    for (const std::string name : {"decode.gpu_ms/past=300",
                                   "decode.gpu_ms_min/past=300",
                                   "verify.gpu_ms/m=8/past=300",
                                   "eager.gpu_ms/m=8/past=300",
                                   "bstar.replay/m=8/past=300",
                                   "bstar.verify/m=8/past=300",
                                   "cliff.captured_ms/past=300",
                                   "cliff.eager_ms/past=300",
                                   "tail.captured_ms_per_row/past=300",
                                   "tail.eager_ms_per_row/past=300",
                                   "capture.captured/m=8",
                                   "capture.segments/m=8",
                                   "capture.seams/m=8",
                                   "capture.allocs/m=8",
                                   "stability.replay_share",
                                   "stability.invalidations",
                                   "stability.growths",
                                   "stability.tok_per_s",
                                   "prefill.tok_per_s/l=64",
                                   "e2e.tok_per_s",
                                   "roofline.share/past=300",
                                   "parity.captured_eager",
                                   "parity.rows",
                                   "parity.greedy",
                                   "parity.nan"}) {
      CAPTURE(stack, name);
      CHECK(fixture.metric(stack, name).status == Status::ok);
    }
  for (const auto* axis : {"parity", "m_scaling", "capture", "seams", "prefill", "e2e", "dram"})
    CHECK(fixture.record.probes[axis].size() == 2);
  const auto json = record::to_json(fixture.record);
  CHECK(json["status"] == "complete");
  CHECK(json["options"]["past"][0] == 300);
  CHECK(record::parse_record(record::to_text(fixture.record), "record") == json);
}

TEST_CASE("the record of a run on the cpu backend names the instruction set of its kernels, that of another does not") {
  Fixture cpu(quick({Axis::parity}));
  CHECK(cpu.run() == ExitCode::ok);
  const auto& device = cpu.record.environment["devices"][0];
  CHECK(device.at("simd_target") == kernels::simd_target());
  Fixture other(quick({Axis::parity}));
  for (auto& [name, script] : other.scripts) script.backend = "cuda";
  CHECK(other.run() == ExitCode::ok);
  CHECK_FALSE(other.record.environment["devices"][0].contains("simd_target"));
}

TEST_CASE("every axis of a sound run gives a table whose rows fit its header") {
  Fixture fixture;
  (void)fixture.run();
  for (const Axis axis : kAll) {
    const auto tables = bench::tables_of(axis, fixture.record);
    CAPTURE(bench::name_of(axis));
    REQUIRE_FALSE(tables.empty());
    for (const auto& table : tables) {
      for (const auto& row : table.rows) CHECK(row.size() == table.columns.size());
      CHECK((axis == Axis::dram || !table.rows.empty()));
      CHECK(reports::text_table(table).find(table.title) == 0);
      CHECK(reports::markdown_table(table).find(table.title) != std::string::npos);
    }
  }
}

TEST_CASE("a stack that fails parity has invalid timings, valid counts, and the run exits with wrong output") {
  Fixture fixture;
  fixture.scripts["latest"].spoil = [](const FakeCall& call, std::int64_t row, std::span<float> logits) {
    if (call.width == 8 && row == 2) logits[0] += 1.0F;
  };
  CHECK(fixture.run() == ExitCode::failed_rows);
  CHECK(fixture.record.complete);
  CHECK(fixture.metric("latest", "decode.gpu_ms/past=300").status == Status::invalid);
  CHECK(fixture.metric("latest", "e2e.tok_per_s").status == Status::invalid);
  CHECK(fixture.metric("latest", "stability.growths").status == Status::ok);
  CHECK(fixture.metric("latest", "parity.rows").value == 0.0);
  CHECK(fixture.metric("before", "decode.gpu_ms/past=300").status == Status::ok);
  for (const auto& row : fixture.record.rows) CHECK((row.status == Status::ok) == (row.stack == "before"));
  REQUIRE_FALSE(fixture.record.warnings.empty());
}

TEST_CASE("an axis that throws fails alone; the others are measured and the exit code says it") {
  Fixture fixture;
  fixture.scripts["latest"].fault = [](const FakeCall& call) {
    if (call.width == 16) throw core::ResultError("prompt of 16 failed");  // the prompt of stability, e2e and prefill
  };
  fixture.asked.axes = {Axis::m_scaling, Axis::capture, Axis::e2e};
  CHECK(fixture.run() == ExitCode::failed_rows);
  CHECK(fixture.record.complete);
  CHECK(fixture.metric("latest", "decode.gpu_ms/past=300").status == Status::ok);
  CHECK(fixture.record.probes["capture"]["latest"]["status"] == "failed");
  CHECK(fixture.record.probes["capture"]["latest"]["reason"] == "prompt of 16 failed");
  CHECK(fixture.record.probes["capture"]["before"].contains("stability"));
  CHECK(fixture.record.probes["e2e"]["before"]["status"] == "ok");
  CHECK_FALSE(bench::tables_of(Axis::capture, fixture.record).front().notes.empty());
}

TEST_CASE("a broken counter identity fails the run and stays readable in the record") {
  Fixture fixture(quick({Axis::capture}));
  fixture.scripts["before"].skew = [](engine::CaptureCounters& c) { c.replays /= 2; };
  CHECK(fixture.run() == ExitCode::failed_rows);
  CHECK(fixture.record.probes["capture"]["before"]["stability"]["identity_holds"] == false);
  CHECK(fixture.metric("before", "stability.replay_share").status == Status::failed);
}

TEST_CASE("an interrupt keeps what was measured, marks the record partial and loses no axis before it") {
  Fixture fixture;
  int axes_done = 0;
  int polls_after = 0;
  probes::Monitor monitor;
  // Interrupted in the middle of the third axis.
  monitor.interrupted = [&] { return static_cast<int>(fixture.finished.size()) >= 2 && ++polls_after > 5; };
  CHECK(fixture.run(monitor) == ExitCode::failed_rows);
  axes_done = static_cast<int>(fixture.finished.size());
  CHECK(axes_done == 3);
  CHECK_FALSE(fixture.record.complete);
  CHECK(fixture.record.partial_reason == "interrupted");
  const auto json = record::to_json(fixture.record);
  CHECK(json["status"] == "partial");
  CHECK(json["partial_reason"] == "interrupted");
  CHECK_FALSE(record::schema_fault(json, record::schema()));
  CHECK(fixture.metric("latest", "decode.gpu_ms/past=300").status == Status::ok);
  CHECK(fixture.metric("before", "stability.tok_per_s").status == Status::unmeasured);
}

TEST_CASE("interrupted before the first axis, the record is still valid and partial") {
  Fixture fixture;
  probes::Monitor monitor;
  monitor.interrupted = [] { return true; };
  CHECK(fixture.run(monitor) == ExitCode::failed_rows);
  CHECK(fixture.finished.empty());
  CHECK_FALSE(record::schema_fault(record::to_json(fixture.record), record::schema()));
}

TEST_CASE("the default length follows a small context, and a length that was asked for does not") {
  auto options = quick({Axis::m_scaling});
  options.pasts = {512};
  options.pasts_given = false;
  Fixture fixture(options);
  for (auto& [name, script] : fixture.scripts) script.context = 256;
  CHECK(fixture.run() == ExitCode::ok);
  CHECK(fixture.metric("latest", "decode.gpu_ms/past=128").status == Status::ok);
  CHECK(fixture.record.options["past"][0] == 128);
  CHECK_FALSE(fixture.record.warnings.empty());

  options.pasts_given = true;
  Fixture asked(options);
  for (auto& [name, script] : asked.scripts) script.context = 256;
  CHECK_THROWS_AS(asked.run(), core::UsageError);
  CHECK(asked.finished.empty());
}

TEST_CASE("options that do not fit the model are refused before anything is measured") {
  const auto refused = [](auto&& change) {
    auto options = quick();
    change(options);
    Fixture fixture(options);
    CHECK_THROWS_AS(fixture.run(), core::UsageError);
    CHECK(fixture.finished.empty());
  };
  refused([](auto& o) { o.prefill_lens = {5000}; });
  refused([](auto& o) { o.e2e_tokens = 5000; });
  refused([](auto& o) { o.m_list = {1, 5000}; });
}

TEST_CASE("non-finite logits anywhere make the stack's timings invalid") {
  Fixture fixture(quick({Axis::parity, Axis::m_scaling}));
  fixture.scripts["before"].spoil = [](const FakeCall& call, std::int64_t, std::span<float> logits) {
    if (call.width == 4) logits[1] = std::numeric_limits<float>::quiet_NaN();
  };
  CHECK(fixture.run() == ExitCode::failed_rows);
  CHECK(*fixture.metric("before", "parity.nan").value > 0);
  CHECK(fixture.metric("before", "decode.gpu_ms/past=300").status == Status::invalid);
  CHECK(fixture.metric("latest", "decode.gpu_ms/past=300").status == Status::ok);
}
