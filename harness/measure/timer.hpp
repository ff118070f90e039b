// The clock of all host timings and its measured floor.
#pragma once

#include <cstdint>
#include <functional>

#include "harness/core/trace.hpp"

namespace gonogo::measure {

/// Steady-clock time since construction or restart.
class Timer {
 public:
  void restart() { start_ns_ = core::steady_ns(); }
  [[nodiscard]] std::int64_t ns() const { return core::steady_ns() - start_ns_; }

 private:
  std::int64_t start_ns_ = core::steady_ns();
};

/// What a single timing cannot resolve.
struct TimerFloor {
  std::int64_t resolution_ns = 0;  // the smallest step seen between two different readings
  std::int64_t read_ns = 0;        // mean cost of one reading, at least 1
  /// Below this a sample is mostly clock: twenty steps of the coarser of the two.
  [[nodiscard]] std::int64_t least_trusted_ns() const {
    return 20 * (resolution_ns > read_ns ? resolution_ns : read_ns);
  }
};

/// Reads the clock until it has stepped `steps` times, or a million times. Throws core::EnvironmentError for a
/// clock that stands still or runs backwards.
[[nodiscard]] TimerFloor timer_floor(const std::function<std::int64_t()>& clock = core::steady_ns, int steps = 200);

}  // namespace gonogo::measure
