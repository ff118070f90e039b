// The read ceiling of a device: what no kernel that reads weights can beat.
#pragma once

#include <cstdint>
#include <memory>

namespace gonogo::engine::cuda {

struct DeviceContext;

struct DeviceBandwidth {
  double bytes_per_second = 0;  // best of `repetitions`; decimal
  std::int64_t working_set = 0;
  int repetitions = 0;
};

/// Reads a buffer far larger than the L2 cache several times. Throws EnvironmentError when the memory is not there.
[[nodiscard]] DeviceBandwidth measure_read_bandwidth(DeviceContext& device);

}  // namespace gonogo::engine::cuda
