#include "harness/core/cuda/check.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "harness/core/error.hpp"

namespace gonogo::core {
namespace {

bool machine_is_to_blame(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorInitializationError:
    case cudaErrorSystemNotReady:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorDevicesUnavailable:
    case cudaErrorDeviceUninitialized:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidKernelImage:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorJitCompilerNotFound:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorHardwareStackError:
    case cudaErrorOperatingSystem:
    case cudaErrorSharedObjectInitFailed:
      return true;
    default:
      return false;
  }
}

std::string describe(cudaError_t status, const char* call) {
  return fmt::format("{} returned {}: {}", call, cudaGetErrorName(status), cudaGetErrorString(status));
}

}  // namespace

void throw_cuda_error(cudaError_t status, const CudaCall& call) {
  static_cast<void>(cudaGetLastError());  // the next call starts clean
  const std::string text = describe(status, call.text);
  if (machine_is_to_blame(status)) throw EnvironmentError(text);
  throw LogicError("a CUDA call to succeed", call.file, call.line, text);
}

void report_cuda_error(cudaError_t status, const CudaCall& call) noexcept {
  if (status == cudaErrorCudartUnloading || status == cudaErrorContextIsDestroyed) return;
  static_cast<void>(cudaGetLastError());
  std::fprintf(stderr, "%s:%d: %s returned %s: %s\n", call.file, call.line, call.text, cudaGetErrorName(status),
               cudaGetErrorString(status));
}

void throw_out_of_device_memory(std::size_t wanted_bytes, const CudaCall& call) {
  static_cast<void>(cudaGetLastError());
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  const bool known = cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess;
  throw EnvironmentError(
      fmt::format("out of device memory: wanted {} bytes, {} ({})", wanted_bytes,
                  known ? fmt::format("{} of {} free", free_bytes, total_bytes) : "free bytes unknown",
                  describe(cudaErrorMemoryAllocation, call.text)));
}

}  // namespace gonogo::core
