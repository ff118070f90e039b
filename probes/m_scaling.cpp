#include "probes/m_scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <set>

#include "harness/core/error.hpp"
#include "harness/measure/flags.hpp"
#include "harness/measure/interleave.hpp"
#include "harness/measure/warm_up.hpp"
#include "probes/token_ids.hpp"

namespace gonogo::probes {
namespace {

constexpr std::int64_t kFirstBucket = 256;
constexpr int kMoreWarmups = 20;  // beyond those asked, until the median is flat
constexpr int kMostToReplay = 8;  // forwards within which a graph must replay, however slow they are
constexpr double kFlat = 0.03;
constexpr double kWarmUpSeconds = 2.0;

// A cell under measurement, beside the session it runs on.
struct Arm {
  engine::Session* session = nullptr;
  Cell cell;
  [[nodiscard]] bool live() const { return cell.status == record::Status::ok; }
  void stop(record::Status status, std::string reason) {
    cell.status = status;
    cell.reason = std::move(reason);
  }
};

engine::StepKind wanted_kind(engine::Mode mode) {
  return mode == engine::Mode::eager ? engine::StepKind::eager : engine::StepKind::replay;
}

TokenSource source_of(const engine::Session& session, std::uint64_t seed) { return {seed, session.model().vocab}; }

engine::ForwardResult run_once(Arm& arm, std::uint64_t seed, engine::Wanted wanted) {
  engine::Session& session = *arm.session;
  session.rewind(arm.cell.past);
  return session.forward(source_of(session, seed).range(arm.cell.past, arm.cell.m), arm.cell.mode, wanted);
}

void check_finite(Arm& arm, const engine::ForwardResult& result) {
  if (!result.all_finite) arm.stop(record::Status::invalid, "non-finite logits");
}

// One more forward, not timed: its logits are finite, and bit for bit what the first such forward gave.
void check_output(Arm& arm, std::uint64_t seed) {
  const auto result = run_once(arm, seed, engine::Wanted::all_rows);
  check_finite(arm, result);
  if (!arm.live()) return;
  const std::uint64_t hash = hash_of(result.logits);
  if (!arm.cell.output_hash) arm.cell.output_hash = hash;
  if (*arm.cell.output_hash != hash)
    arm.stop(record::Status::invalid, "logits changed between two forwards of the same rows");
}

template <class Body>
void guarded(Arm& arm, Body&& body) {
  try {
    body();
  } catch (const std::exception& error) {
    arm.stop(record::Status::failed, error.what());
  }
}

void warm(Arm& arm, const MScalingOptions& options) {
  const auto least = static_cast<std::size_t>(std::max(options.warmups, 1));
  measure::WarmUp warm_up({.min_runs = least,
                           .max_runs = least + kMoreWarmups,
                           .max_seconds = kWarmUpSeconds,
                           .window = 3,
                           .windows = 2,
                           .tolerance = kFlat});
  bool on_path = false;
  while (!warm_up.done() || (!on_path && arm.cell.warmups < kMostToReplay)) {
    const auto result = run_once(arm, options.seed, engine::Wanted::all_ids);
    check_finite(arm, result);
    if (!arm.live()) return;
    ++arm.cell.warmups;
    on_path = result.kind == wanted_kind(arm.cell.mode);
    warm_up.add(to_ms(result.times.wall_ns()), on_path);
  }
  arm.cell.warm_flat = warm_up.end() == measure::WarmUpEnd::flat;
  if (arm.cell.mode == engine::Mode::captured) arm.cell.capture = arm.session->capture_state(arm.cell.m);
  if (on_path) return check_output(arm, options.seed);
  const auto& declined = arm.cell.capture.declined;
  arm.stop(record::Status::failed, declined ? "capture declined: " + core::to_string(*declined)
                                            : fmt::format("no replay after {} forwards", arm.cell.warmups));
}

void sample(Arm& arm, const MScalingOptions& options) {
  // What a verify brings to the host: ids. Reading all logits between samples would also push the weights of a small
  // model out of the cache.
  const auto result = run_once(arm, options.seed, engine::Wanted::all_ids);
  arm.cell.samples.push_back(result.times);
  check_finite(arm, result);
  if (arm.live() && static_cast<int>(arm.cell.samples.size()) == options.iters) check_output(arm, options.seed);
  if (arm.live() && result.kind != wanted_kind(arm.cell.mode))
    arm.stop(record::Status::invalid, fmt::format("sample {} left the measured path", arm.cell.samples.size()));
}

Arm start(const Subject& subject, std::int64_t m, std::int64_t past, engine::Mode mode) {
  Arm arm{subject.session, {}};
  arm.cell.m = m;
  arm.cell.past = past;
  arm.cell.mode = mode;
  arm.stop(record::Status::ok, "");
  guarded(arm, [&] {
    arm.cell.bucket = subject.session->bucket();
    arm.cell.work = subject.session->work(m, past);
  });
  return arm;
}

// Warm-up and samples of one point for all subjects; false when interrupted before the last sample.
bool measure_point(std::vector<Arm>& arms, const MScalingOptions& options, const Monitor& monitor) {
  for (auto& arm : arms)
    if (arm.live()) guarded(arm, [&] { warm(arm, options); });
  for (const std::size_t k : measure::interleave(arms.size(), static_cast<std::size_t>(options.iters))) {
    if (monitor.interrupted()) {
      for (auto& arm : arms)
        if (arm.live() && arm.cell.samples.empty()) arm.stop(record::Status::unmeasured, "interrupted");
      return false;
    }
    Arm& arm = arms[k];
    if (arm.live()) guarded(arm, [&] { sample(arm, options); });
  }
  return true;
}

void finish(Arm& arm) {
  guarded(arm, [&] {
    arm.cell.kernels = arm.session->plan(arm.cell.m).kernels;
    if (arm.cell.mode == engine::Mode::captured) arm.cell.capture = arm.session->capture_state(arm.cell.m);
  });
}

void check_against_eager(const MScalingResult& result, Cell& captured) {
  const Cell* eager = result.find(captured.m, captured.past, engine::Mode::eager);
  if (captured.status != record::Status::ok || eager == nullptr || eager->status != record::Status::ok) return;
  if (eager->output_hash == captured.output_hash) return;
  captured.status = record::Status::invalid;
  captured.reason = "captured logits differ from the eager ones";
}

Drift drift_of(const MScalingResult& result, const Cell& again) {
  Drift drift{again.past, again.m, again.mode, {}};
  const Cell* first = result.find(again.m, again.past, again.mode);
  const bool ok = first != nullptr && first->status == record::Status::ok && again.status == record::Status::ok;
  const auto share =
      ok ? measure::drift(part_ms(first->samples, Part::wall), part_ms(again.samples, Part::wall)) : std::nullopt;
  drift.share = share ? Figure::of(*share)
                      : Figure::none(record::Status::unmeasured, "the first point or its repeat has no samples");
  return drift;
}

// All widths at one length, then the first point again.
bool measure_length(Subjects subjects, const MScalingOptions& options, std::int64_t past,
                    std::vector<MScalingResult>& results, const Monitor& monitor) {
  for (const auto& subject : subjects) {
    subject.session->reserve(past + options.m_list.back());
    prime(*subject.session, source_of(*subject.session, options.seed), past);
  }
  const auto point = [&](std::int64_t m, engine::Mode mode) {
    std::vector<Arm> arms;
    for (const auto& subject : subjects) arms.push_back(start(subject, m, past, mode));
    return arms;
  };
  for (const std::int64_t m : options.m_list) {
    for (const auto mode : {engine::Mode::eager, engine::Mode::captured}) {
      monitor.progress(fmt::format("m-scaling: past {}, M {}, {}", past, m, name_of(mode)));
      auto arms = point(m, mode);
      const bool whole = measure_point(arms, options, monitor);
      for (std::size_t i = 0; i < arms.size(); ++i) {
        finish(arms[i]);
        if (mode == engine::Mode::captured) check_against_eager(results[i], arms[i].cell);
        results[i].cells.push_back(std::move(arms[i].cell));
      }
      if (!whole) return false;
    }
  }
  auto again = point(options.m_list.front(), engine::Mode::captured);
  const bool whole = measure_point(again, options, monitor);
  for (std::size_t i = 0; i < again.size(); ++i) results[i].drifts.push_back(drift_of(results[i], again[i].cell));
  return whole;
}

void check_options(const MScalingOptions& options) {
  if (options.m_list.empty() || options.pasts.empty())
    throw core::UsageError("the list of widths M or of lengths is empty");
  if (!std::is_sorted(options.m_list.begin(), options.m_list.end())) throw core::UsageError("widths M must ascend");
  if (options.m_list.front() < 1)
    throw core::UsageError(fmt::format("width M must be at least 1, got {}", options.m_list.front()));
  if (options.iters < 1 || options.warmups < 0)
    throw core::UsageError(
        fmt::format("{} iterations and {} warm-ups: wanted at least 1 and 0", options.iters, options.warmups));
}

}  // namespace

const Cell* MScalingResult::find(std::int64_t m, std::int64_t past, engine::Mode mode) const {
  const auto at = std::find_if(cells.begin(), cells.end(),
                               [&](const Cell& c) { return c.m == m && c.past == past && c.mode == mode; });
  return at == cells.end() ? nullptr : &*at;
}

std::vector<std::int64_t> lengths_to_measure(const MScalingOptions& options, std::int64_t context) {
  check_options(options);
  const std::int64_t widest = options.m_list.back();
  std::set<std::int64_t> lengths;
  for (const std::int64_t past : options.pasts) {
    if (past < 0) throw core::UsageError(fmt::format("a length must be at least 0, got {}", past));
    if (past + widest > context)
      throw core::UsageError(
          fmt::format("past {} and M {} need {} tokens, the context holds {}; choose --past at most {}", past, widest,
                      past + widest, context, context - widest));
    lengths.insert(past);
    for (std::int64_t edge = kFirstBucket; edge < context; edge *= 2)
      if (past <= edge && edge < past + widest && edge >= widest) lengths.insert(edge - widest);
  }
  return {lengths.begin(), lengths.end()};
}

std::vector<MScalingResult> measure_m_scaling(Subjects subjects, const MScalingOptions& options,
                                              const Monitor& monitor) {
  check_options(options);
  std::vector<MScalingResult> results;
  std::int64_t context = subjects.empty() ? 0 : subjects.front().session->model().context;
  for (const auto& subject : subjects) {
    results.push_back({subject.name, subject.session->backend(), {}, {}, false});
    context = std::min(context, subject.session->model().context);
  }
  for (const std::int64_t past : lengths_to_measure(options, context))
    if (!measure_length(subjects, options, past, results, monitor)) return results;
  for (auto& result : results) result.complete = true;
  return results;
}

}  // namespace gonogo::probes
