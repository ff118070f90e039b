// What CUDA devices there are and whether this build can run on them. Facts are plain data, asked once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/eligibility.hpp"

namespace gonogo::core {

struct DeviceFacts {
  int ordinal = 0;     // CUDA's index in this process; not NVML's
  std::string name;    // "NVIDIA H200"
  std::string uuid;    // "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"; the link to NVML
  std::string pci_id;  // "0000:18:00.0"
  int sm = 0;          // compute capability x 10: 90
  int multiprocessors = 0;
  int threads_per_multiprocessor = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t shared_bytes_per_block = 0;  // the most a kernel may opt in to
  int clock_khz = 0;                        // top multiprocessor clock
  int memory_clock_khz = 0;
  int memory_bus_bits = 0;
  bool ecc = false;
  bool integrated = false;
  int driver_version = 0;   // the CUDA version the driver speaks: 13000
  int runtime_version = 0;  // the runtime this program holds
};

/// Machine code and portable code in this binary; in step with scripts/cmake/gonogo_cuda.cmake.
inline constexpr const char* kBuiltFor = "sm_80 to sm_89, sm_90a, PTX for sm_80 and later";
inline constexpr int kLowestSm = 80;

/// Accepts a device this binary has code for; else the refusal says what it was built for and what the device is.
[[nodiscard]] Eligibility has_code_for(int sm);

/// Accepts when there is a driver and at least one device; else the refusal says which is missing.
[[nodiscard]] Eligibility devices_usable();

/// Facts of every device, in CUDA's order. Throws EnvironmentError where devices_usable() refuses.
[[nodiscard]] std::vector<DeviceFacts> devices();
[[nodiscard]] DeviceFacts device_facts(int ordinal);

/// Makes a device current for this thread, and the one before again at the end of the scope.
class DeviceScope {
 public:
  explicit DeviceScope(int ordinal);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int before_ = 0;
};

/// The device current for this thread.
[[nodiscard]] int current_device();

}  // namespace gonogo::core
