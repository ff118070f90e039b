// What the capture machine needs of a backend: run a plan's steps eagerly, record a run of steps, replay it.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "engine/capture/seam.hpp"
#include "harness/core/allocation.hpp"
#include "harness/core/eligibility.hpp"

namespace gonogo::engine::capture {

/// Which rows of logits a plan computes.
enum class Rows { last, all };

/// Everything a replay cannot change. Token ids, positions and lengths are not here: they live in buffers that a replay
/// reads. Where the buffers are is not here either: a change of addresses invalidates every graph.
struct Key {
  std::int64_t bucket = 0;  // KV capacity
  std::int64_t width = 0;   // rows, M
  Rows rows = Rows::all;
  friend auto operator<=>(const Key&, const Key&) = default;
};

/// A step of a plan as the machine sees it.
struct StepInfo {
  std::string op;  // operator type: what a quarantine is about
  std::string kernel;
};

/// A recorded run of steps.
class Segment {
 public:
  virtual ~Segment() = default;
  /// Carries the steps out on what the buffers hold now. Must not allocate.
  virtual void replay() = 0;
};

/// Thrown by Executor::record when a step turns out not to record; the machine quarantines its operator type.
struct RecordingFailure {
  int step = 0;
  std::string detail;
};

class Executor {
 public:
  virtual ~Executor() = default;

  /// The steps of the key's plan, in order; the same every time for a key.
  [[nodiscard]] virtual std::span<const StepInfo> steps(const Key& key) = 0;
  /// Whether this key may be captured at all (every output has a persistent binding...). A refusal declines it.
  [[nodiscard]] virtual core::Eligibility admit(const Key& key) = 0;
  /// Why a step cannot be recorded, or nothing when it can. Asked after warm_up().
  [[nodiscard]] virtual std::optional<SeamReason> seam(const Key& key, int step) = 0;

  /// Runs all steps eagerly and leaves behind what a later capture needs, so that the capture itself allocates nothing.
  virtual void warm_up(const Key& key) = 0;
  /// Runs one step eagerly, as a seam between segments.
  virtual void run(const Key& key, int step) = 0;
  /// Records steps [first, last) without carrying them out. Throws RecordingFailure, or any error, leaving no trace.
  [[nodiscard]] virtual std::unique_ptr<Segment> record(const Key& key, int first, int last) = 0;

  /// The counters of the memory that a capture must leave alone.
  [[nodiscard]] virtual core::AllocationCounts allocations() const = 0;
};

}  // namespace gonogo::engine::capture
