#include "harness/core/cuda/device.hpp"

#include <fmt/format.h>

#include <array>

#include "harness/core/cuda/check.hpp"
#include "harness/core/error.hpp"

namespace gonogo::core {
namespace {

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

int attribute(cudaDeviceAttr which, int ordinal) {
  int value = 0;
  GONOGO_CUDA(cudaDeviceGetAttribute(&value, which, ordinal));
  return value;
}

}  // namespace

Eligibility has_code_for(int sm) {
  if (sm >= kLowestSm) return accept();
  return refuse("compute capability of the device, one this program was built for", kBuiltFor,
                fmt::format("sm_{}", sm));
}

Eligibility devices_usable() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return accept();
  static_cast<void>(cudaGetLastError());
  int driver = 0;
  int runtime = 0;
  static_cast<void>(cudaDriverGetVersion(&driver));
  static_cast<void>(cudaRuntimeGetVersion(&runtime));
  static_cast<void>(cudaGetLastError());
  if (driver == 0) return refuse("NVIDIA driver", fmt::format("one for CUDA {}", runtime / 1000), "none");
  if (status == cudaErrorInsufficientDriver)
    return refuse("CUDA version of the NVIDIA driver, at least", runtime, driver);
  if (status == cudaSuccess || status == cudaErrorNoDevice) return refuse("CUDA devices, at least", 1, 0);
  return refuse("a CUDA device that starts", "cudaSuccess",
                fmt::format("{}: {}", cudaGetErrorName(status), cudaGetErrorString(status)));
}

DeviceFacts device_facts(int ordinal) {
  cudaDeviceProp properties{};
  GONOGO_CUDA(cudaGetDeviceProperties(&properties, ordinal));
  std::array<char, 32> pci{};
  GONOGO_CUDA(cudaDeviceGetPCIBusId(pci.data(), static_cast<int>(pci.size()), ordinal));
  DeviceFacts facts;
  facts.ordinal = ordinal;
  facts.name = properties.name;
  facts.uuid = uuid_text(properties.uuid);
  facts.pci_id = pci.data();
  facts.sm = properties.major * 10 + properties.minor;
  facts.multiprocessors = properties.multiProcessorCount;
  facts.threads_per_multiprocessor = properties.maxThreadsPerMultiProcessor;
  facts.l2_bytes = properties.l2CacheSize;
  facts.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  facts.shared_bytes_per_block = static_cast<std::int64_t>(properties.sharedMemPerBlockOptin);
  facts.clock_khz = attribute(cudaDevAttrClockRate, ordinal);
  facts.memory_clock_khz = attribute(cudaDevAttrMemoryClockRate, ordinal);
  facts.memory_bus_bits = properties.memoryBusWidth;
  facts.ecc = properties.ECCEnabled != 0;
  facts.integrated = properties.integrated != 0;
  GONOGO_CUDA(cudaDriverGetVersion(&facts.driver_version));
  GONOGO_CUDA(cudaRuntimeGetVersion(&facts.runtime_version));
  return facts;
}

std::vector<DeviceFacts> devices() {
  if (const Eligibility usable = devices_usable(); !usable)
    throw EnvironmentError("no usable GPU: " + to_string(usable.reason()));
  int count = 0;
  GONOGO_CUDA(cudaGetDeviceCount(&count));
  std::vector<DeviceFacts> all;
  for (int ordinal = 0; ordinal < count; ++ordinal) all.push_back(device_facts(ordinal));
  return all;
}

int current_device() {
  int ordinal = 0;
  GONOGO_CUDA(cudaGetDevice(&ordinal));
  return ordinal;
}

DeviceScope::DeviceScope(int ordinal) : before_(current_device()) { GONOGO_CUDA(cudaSetDevice(ordinal)); }
DeviceScope::~DeviceScope() { GONOGO_CUDA_NOTHROW(cudaSetDevice(before_)); }

}  // namespace gonogo::core
