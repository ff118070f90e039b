// How the wall of a forward grows with its width M: eager and captured, at several lengths of the cache.
// Source: docs/measuring.md, "Numbers" and "Discipline".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probes/figures.hpp"
#include "probes/subject.hpp"

namespace gonogo::probes {

struct MScalingOptions {
  std::vector<std::int64_t> m_list = {1, 2, 4, 8, 16};  // ascending
  std::vector<std::int64_t> pasts = {512};
  int iters = 30;
  int warmups = 3;  // at least; warming goes on until the path is the measured one and the median is flat
  std::uint64_t seed = 1;
};

/// One stack, one width, one length, one mode.
struct Cell {
  std::int64_t m = 0;
  std::int64_t past = 0;
  engine::Mode mode = engine::Mode::eager;
  std::int64_t bucket = 0;
  record::Status status = record::Status::unmeasured;
  std::string reason = "not measured";
  int warmups = 0;         // untimed forwards before the first sample
  bool warm_flat = false;  // the rolling median had settled when timing began
  std::vector<engine::ForwardTimes> samples;
  std::optional<std::uint64_t> output_hash;  // of the logits; the same in every warm-up and in the last sample
  engine::CaptureState capture;              // captured cells
  std::vector<engine::StepKernel> kernels;
  core::Work work;
};

/// The first point of a length, measured again after all the others.
struct Drift {
  std::int64_t past = 0;
  std::int64_t m = 0;
  engine::Mode mode = engine::Mode::captured;
  Figure share;  // median wall again / median wall at first - 1
};

struct MScalingResult {
  std::string stack;
  std::string backend;
  std::vector<Cell> cells;  // by past, then m, then eager before captured
  std::vector<Drift> drifts;
  bool complete = false;

  [[nodiscard]] const Cell* find(std::int64_t m, std::int64_t past, engine::Mode mode) const;
};

/// The lengths to measure: those asked, and where the widest forward from one would cross the edge of a KV bucket, the
/// longest length from which all widths still fit below that edge. Ascending, without repeats. Throws UsageError when a
/// length and the widest forward do not fit in the context.
[[nodiscard]] std::vector<std::int64_t> lengths_to_measure(const MScalingOptions& options, std::int64_t context);

/// All subjects interleaved, one result each. A fault in one cell is a status of that cell; the others go on.
/// Throws UsageError for an empty list, M < 1, or lengths that do not fit.
[[nodiscard]] std::vector<MScalingResult> measure_m_scaling(Subjects subjects, const MScalingOptions& options,
                                                            const Monitor& monitor);

}  // namespace gonogo::probes
