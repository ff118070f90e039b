#include "probes/m_scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <set>

#include "harness/core/error.hpp"
#include "probes/token_ids.hpp"

namespace gonogo::probes {
namespace {

constexpr std::int64_t kFirstBucket = 256;
constexpr int kMoreWarmups = 12;       // beyond those asked, until the path is right and the median flat
constexpr std::size_t kFlatWindow = 3;
constexpr double kFlatShare = 0.05;

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

bool flat(const std::vector<double>& walls) {
  if (walls.size() < 2 * kFlatWindow) return false;
  const std::span<const double> all(walls);
  const auto last = stats::summarize(all.last(kFlatWindow)).median.value();
  const auto before = stats::summarize(all.subspan(all.size() - 2 * kFlatWindow, kFlatWindow)).median.value();
  return std::abs(last - before) <= kFlatShare * before;
}

engine::ForwardResult run_once(Arm& arm, std::uint64_t seed) {
  engine::Session& session = *arm.session;
  session.rewind(arm.cell.past);
  return session.forward(source_of(session, seed).range(arm.cell.past, arm.cell.m), arm.cell.mode, engine::Wanted::all_rows);
}

// Finite, and bit for bit what the first forward gave.
void check_output(Arm& arm, const engine::ForwardResult& result) {
  if (!result.all_finite) return arm.stop(record::Status::invalid, "non-finite logits");
  const std::uint64_t hash = hash_of(result.logits);
  if (!arm.cell.output_hash) arm.cell.output_hash = hash;
  if (*arm.cell.output_hash != hash) arm.stop(record::Status::invalid, "logits changed between two forwards of the same rows");
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
  std::vector<double> walls;
  bool on_path = false;
  for (int i = 0; i < options.warmups + kMoreWarmups; ++i) {
    if (i >= options.warmups && on_path && flat(walls)) break;
    const auto result = run_once(arm, options.seed);
    check_output(arm, result);
    if (!arm.live()) return;
    ++arm.cell.warmups;
    const bool now_on_path = result.kind == wanted_kind(arm.cell.mode);
    if (now_on_path != on_path) walls.clear();
    on_path = now_on_path;
    walls.push_back(to_ms(result.times.wall_ns()));
  }
  arm.cell.warm_flat = on_path && flat(walls);
  if (arm.cell.mode == engine::Mode::captured) arm.cell.capture = arm.session->capture_state(arm.cell.m);
  if (on_path) return;
  const auto& declined = arm.cell.capture.declined;
  arm.stop(record::Status::failed, declined ? "capture declined: " + core::to_string(*declined)
                                            : fmt::format("no replay after {} forwards", arm.cell.warmups));
}

void sample(Arm& arm, const MScalingOptions& options) {
  const auto result = run_once(arm, options.seed);
  arm.cell.samples.push_back(result.times);
  if (!result.all_finite) return arm.stop(record::Status::invalid, "non-finite logits");
  // Reading all logits between samples would push the weights of a small model out of the cache: the last sample stands for all.
  if (static_cast<int>(arm.cell.samples.size()) == options.iters) check_output(arm, result);
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
  for (int i = 0; i < options.iters; ++i) {
    if (monitor.interrupted()) {
      for (auto& arm : arms)
        if (arm.live() && arm.cell.samples.empty()) arm.stop(record::Status::unmeasured, "interrupted");
      return false;
    }
    // a b, b a, a b, ...: neither stack is always the one after the other.
    for (std::size_t k = 0; k < arms.size(); ++k) {
      Arm& arm = arms[i % 2 == 0 ? k : arms.size() - 1 - k];
      if (arm.live()) guarded(arm, [&] { sample(arm, options); });
    }
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
  const auto was = ok ? summarize(first->samples, Part::wall).median : std::nullopt;
  const auto is = ok ? summarize(again.samples, Part::wall).median : std::nullopt;
  drift.share = was && is && *was > 0 ? Figure::of(*is / *was - 1)
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
  if (options.m_list.empty() || options.pasts.empty()) throw core::UsageError("the list of widths M or of lengths is empty");
  if (!std::is_sorted(options.m_list.begin(), options.m_list.end())) throw core::UsageError("widths M must ascend");
  if (options.m_list.front() < 1) throw core::UsageError(fmt::format("width M must be at least 1, got {}", options.m_list.front()));
  if (options.iters < 1 || options.warmups < 0)
    throw core::UsageError(fmt::format("{} iterations and {} warm-ups: wanted at least 1 and 0", options.iters, options.warmups));
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
      throw core::UsageError(fmt::format("past {} and M {} need {} tokens, the context holds {}; choose --past at most {}", past,
                                         widest, past + widest, context, context - widest));
    lengths.insert(past);
    for (std::int64_t edge = kFirstBucket; edge < context; edge *= 2)
      if (past <= edge && edge < past + widest && edge >= widest) lengths.insert(edge - widest);
  }
  return {lengths.begin(), lengths.end()};
}

std::vector<MScalingResult> measure_m_scaling(Subjects subjects, const MScalingOptions& options, const Monitor& monitor) {
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
