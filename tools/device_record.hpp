// A CUDA device as a record tells it: what it is, and how it was before and after a run.
#pragma once

#include <string>
#include <vector>

#include "harness/core/cuda/device.hpp"
#include "harness/core/cuda/nvml.hpp"
#include "harness/record/json.hpp"

namespace gonogo::tools {

/// A look at the device; where NVML is absent, why.
struct DeviceLook {
  std::optional<core::NvmlSample> sample;
  std::string reason;  // why there is no sample
  std::string driver;  // "580.159.04"; empty where it is not told
};
[[nodiscard]] DeviceLook look_at(const core::DeviceFacts& facts);

/// Static facts, plus the settings and states of a look.
[[nodiscard]] record::Json to_json(const core::DeviceFacts& facts, const DeviceLook& look);
/// Clocks, power, temperature, throttling, other processes: what changes while a run goes on.
[[nodiscard]] record::Json state_json(const DeviceLook& look);

/// Why timings taken between the two looks are contaminated, a line each: another process on the device, a kernel
/// running before, MIG, throttling. Empty when nothing speaks against them.
[[nodiscard]] std::vector<std::string> contamination(const DeviceLook& before, const DeviceLook& after);

}  // namespace gonogo::tools
