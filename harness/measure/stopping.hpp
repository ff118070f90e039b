// When measuring ends. Gates use fixed counts, so that compared arms have equal samples.
#pragma once

#include <cstddef>
#include <string_view>

#include "harness/measure/interrupt.hpp"

namespace gonogo::measure {

enum class StopReason { going, count, interrupted };

[[nodiscard]] constexpr std::string_view name_of(StopReason reason) {
  switch (reason) {
    case StopReason::going:
      return "going";
    case StopReason::count:
      return "count";
    case StopReason::interrupted:
      break;
  }
  return "interrupted";
}

/// `wanted` samples, or fewer when a signal came.
struct FixedCount {
  std::size_t wanted = 30;
  [[nodiscard]] StopReason after(std::size_t samples) const {
    if (samples >= wanted) return StopReason::count;
    return interrupted() ? StopReason::interrupted : StopReason::going;
  }
};

}  // namespace gonogo::measure
