// Greedy choice over a row of logits.
#pragma once

#include <cstdint>
#include <span>

namespace gonogo::kernels::sample {

struct Choice {
  std::int64_t index = 0;  // of the greatest value that is not NaN; the lowest index wins a tie
  bool all_finite = true;  // no NaN and no infinity in the row
};

/// The row must not be empty (LogicError).
[[nodiscard]] Choice argmax(std::span<const float> row);

/// The greatest and the second greatest value's distance; 0 on a tie. Needs two values (LogicError).
[[nodiscard]] float top_gap(std::span<const float> row);

}  // namespace gonogo::kernels::sample
