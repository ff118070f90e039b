// The part of NVML's C interface that nvml.cpp calls. The toolkit's packages need not hold nvml.h, and the ABI is
// frozen by the function names' suffixes. Source: NVIDIA NVML API reference, versions _v2 and _v3 as named.
#pragma once

extern "C" {

struct GonogoNvmlProcess {  // nvmlProcessInfo_v2_t
  unsigned pid;
  unsigned long long used_bytes;  // all ones: not available
  unsigned gpu_instance;
  unsigned compute_instance;
};
struct GonogoNvmlMemory {  // nvmlMemory_t
  unsigned long long total, free, used;
};
struct GonogoNvmlUtilization {  // nvmlUtilization_t
  unsigned gpu, memory;
};
struct GonogoNvmlDevice;

using GonogoNvmlInit = int();
using GonogoNvmlShutdown = int();
using GonogoNvmlErrorString = const char*(int);
using GonogoNvmlDriverVersion = int(char*, unsigned);
using GonogoNvmlHandleByUuid = int(const char*, GonogoNvmlDevice**);
using GonogoNvmlClock = int(GonogoNvmlDevice*, int, unsigned*);
using GonogoNvmlUnsigned = int(GonogoNvmlDevice*, unsigned*);
using GonogoNvmlTemperature = int(GonogoNvmlDevice*, int, unsigned*);
using GonogoNvmlMask = int(GonogoNvmlDevice*, unsigned long long*);
using GonogoNvmlMemoryInfo = int(GonogoNvmlDevice*, GonogoNvmlMemory*);
using GonogoNvmlUtilizationRates = int(GonogoNvmlDevice*, GonogoNvmlUtilization*);
using GonogoNvmlMode = int(GonogoNvmlDevice*, unsigned*, unsigned*);
using GonogoNvmlProcesses = int(GonogoNvmlDevice*, unsigned*, GonogoNvmlProcess*);

}  // extern "C"

namespace gonogo::core::nvml_abi {
inline constexpr int kSuccess = 0;
inline constexpr int kInsufficientSize = 7;
inline constexpr int kClockSm = 1;
inline constexpr int kClockMemory = 2;
inline constexpr int kTemperatureGpu = 0;
inline constexpr unsigned long long kNotAvailable = ~0ULL;
}  // namespace gonogo::core::nvml_abi
