// Counts of a captured forward's parts: what a seam census prints.
#pragma once

#include <string>
#include <vector>

#include "engine/capture/machine.hpp"

namespace gonogo::engine::capture {

/// Eager steps of one operator, reason and kernel.
struct SeamCount {
  std::string op;
  std::string reason;
  std::string kernel;
  int count = 0;
  friend bool operator==(const SeamCount&, const SeamCount&) = default;
};

struct Census {
  int segments = 0;              // recorded runs
  int seam_runs = 0;             // maximal runs of seams
  int recorded_steps = 0;        // steps inside segments
  int seams = 0;                 // eager steps
  std::vector<SeamCount> by_op;  // sorted by op, then reason, then kernel
  [[nodiscard]] int launches() const { return segments + seams; }
};

[[nodiscard]] Census census(const Entry& entry, std::span<const StepInfo> steps);
/// "GroupQueryAttention[KernelCaptureUnsupported] x 40, MatMul[...] x 1"; "none" without seams.
[[nodiscard]] std::string to_string(const std::vector<SeamCount>& seams);

}  // namespace gonogo::engine::capture
