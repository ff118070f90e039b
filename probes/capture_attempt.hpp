// Can a forward of width M be captured, and what stays outside? One attempt per width, from cold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/allocation.hpp"
#include "probes/figures.hpp"
#include "probes/subject.hpp"

namespace gonogo::probes {

struct CaptureAttemptOptions {
  std::vector<std::int64_t> m_list = {1, 8};
  std::int64_t past = 32;
  std::uint64_t seed = 1;
};

struct CaptureAttempt {
  std::string stack;
  std::int64_t m = 0;
  std::int64_t past = 0;
  std::int64_t bucket = 0;
  record::Status status = record::Status::unmeasured;
  std::string reason = "not measured";
  std::optional<core::AllocationCounts> cold, warm;  // first and second forward at this width, both eager
  bool captured = false;                             // a capture happened and the next forward replayed it
  int forwards = 0;                                  // captured-mode forwards until the replay
  engine::CaptureState state;
};

/// The widths in order, on one session: two eager forwards (cold, warm), then captured ones until a replay or a
/// decline.
[[nodiscard]] std::vector<CaptureAttempt> attempt_captures(const Subject& subject, const CaptureAttemptOptions& options,
                                                           const Monitor& monitor);

[[nodiscard]] record::Json to_json(const CaptureAttempt& attempt);
[[nodiscard]] Metrics metrics(const CaptureAttempt& attempt);

/// The seam census alone: M, census and per-seam counts of each attempt.
[[nodiscard]] record::Json seams_json(const std::vector<CaptureAttempt>& attempts);

}  // namespace gonogo::probes
