// The door every CUDA runtime call goes through: GONOGO_CUDA throws, GONOGO_CUDA_NOTHROW is for destructors.
// For sources that call the runtime; public headers do not include this one.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace gonogo::core {

/// Where a call stands and what it says.
struct CudaCall {
  const char* text;
  const char* file;
  int line;
};

/// EnvironmentError for what the machine is to blame for (no driver, no device, out of memory, no code for this chip);
/// LogicError for the rest. Clears the runtime's sticky error. The message has call, error name and error text.
[[noreturn]] void throw_cuda_error(cudaError_t status, const CudaCall& call);

/// For destructors: says nothing when the runtime is already unloading, else one line on stderr.
void report_cuda_error(cudaError_t status, const CudaCall& call) noexcept;

/// Out of memory with its numbers: bytes wanted, bytes free and bytes on the device.
[[noreturn]] void throw_out_of_device_memory(std::size_t wanted_bytes, const CudaCall& call);

}  // namespace gonogo::core

#define GONOGO_CUDA(expression)                                                           \
  do {                                                                                    \
    if (const cudaError_t gonogo_status = (expression); gonogo_status != cudaSuccess)     \
      ::gonogo::core::throw_cuda_error(gonogo_status, {#expression, __FILE__, __LINE__}); \
  } while (false)

#define GONOGO_CUDA_NOTHROW(expression)                                                    \
  do {                                                                                     \
    if (const cudaError_t gonogo_status = (expression); gonogo_status != cudaSuccess)      \
      ::gonogo::core::report_cuda_error(gonogo_status, {#expression, __FILE__, __LINE__}); \
  } while (false)
