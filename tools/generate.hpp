// Greedy generation, step by step, with what is worth knowing of each step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/session/session.hpp"

namespace gonogo::tools {

struct GeneratedStep {
  std::int64_t id = 0;
  double gap = 0;  // top-1 minus top-2 of the logits that gave the id; 0 on a tie or with one logit only
  engine::StepKind kind = engine::StepKind::eager;
  std::int64_t wall_ns = 0;  // of the forward that gave the id: step 0 is the whole prompt
};

/// `count` greedy ids after `prompt`. Throws UsageError with the numbers when they do not fit the context, and
/// ResultError naming the step when a logit is not finite.
[[nodiscard]] std::vector<GeneratedStep> generate(engine::Session& session, std::span<const std::int64_t> prompt,
                                                  std::int64_t count, engine::Mode mode);

}  // namespace gonogo::tools
