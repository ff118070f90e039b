// NVML facts of one device, found by UUID (NVML's index is not CUDA's). The library is opened at run time.
// A value that cannot be read is absent with its reason, never 0.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gonogo::core {

/// A value, or why there is none.
template <class T>
struct Reading {
  std::optional<T> value;
  std::string reason;  // "Not Supported"; empty when there is a value
};

struct DeviceProcess {
  unsigned pid = 0;
  std::optional<std::uint64_t> memory_bytes;  // absent where the driver does not tell
};

/// One look at a device.
struct NvmlSample {
  Reading<unsigned> sm_clock_mhz, memory_clock_mhz, max_sm_clock_mhz;
  Reading<double> power_w, power_limit_w;
  Reading<unsigned> temperature_c;
  Reading<unsigned> utilization_percent;  // share of the last sampling period with a kernel running
  Reading<std::uint64_t> throttle_bits;   // NVML's clocks-event mask
  Reading<std::uint64_t> memory_used_bytes;
  Reading<bool> mig, ecc;
  Reading<std::vector<DeviceProcess>> processes;  // compute processes, this one included
};

/// Names of the bits of NvmlSample::throttle_bits, such as "sw_power_cap"; "idle" is no throttling.
[[nodiscard]] std::vector<std::string> throttle_reasons(std::uint64_t bits);
/// True when a bit other than idle and applications-clocks is set.
[[nodiscard]] bool throttled(std::uint64_t bits);

class Nvml {
 public:
  /// Opens libnvidia-ml.so.1. Throws EnvironmentError when it is absent or does not start.
  Nvml();
  ~Nvml();
  Nvml(Nvml&&) noexcept;
  Nvml& operator=(Nvml&&) noexcept;

  [[nodiscard]] Reading<std::string> driver_version() const;  // "580.159.04"
  /// Throws EnvironmentError when no device has this UUID.
  [[nodiscard]] NvmlSample sample(const std::string& uuid) const;

 private:
  struct Api;
  std::unique_ptr<Api> api_;
};

/// Compute processes other than `own_pid`, from a sample; absent when NVML does not tell.
[[nodiscard]] Reading<std::vector<DeviceProcess>> foreign_processes(const NvmlSample& sample, unsigned own_pid);

}  // namespace gonogo::core
