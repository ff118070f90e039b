// Launches a kernel into a stream and checks it. For .cu files.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>

#include "harness/core/cuda/check.hpp"
#include "harness/core/cuda/stream.hpp"

#ifdef GONOGO_SIMT
#include "harness/core/cuda/simt.hpp"
#endif

namespace gonogo::core {

struct LaunchShape {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;  // dynamic
  /// Programmatic dependent launch: the kernel may start while the one before it drains. Only for a kernel that calls
  /// ptx::wait_for_previous_grid() before it reads what an earlier kernel wrote and before it writes anything.
  bool programmatic = false;
};

/// `args` convert to the kernel's parameter types. Throws as GONOGO_CUDA does.
template <class... Params, class... Args>
void launch(void (*kernel)(Params...), const LaunchShape& shape, StreamRef stream, Args&&... args) {
  constexpr std::size_t kSharedWithoutOptIn = std::size_t{48} * 1024;
  if (shape.shared_bytes > kSharedWithoutOptIn)
    GONOGO_CUDA(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     static_cast<int>(shape.shared_bytes)));
#ifdef GONOGO_SIMT
  GONOGO_CUDA(simt::launch({shape.grid, shape.block, shape.shared_bytes}, stream.get(),
                           [kernel, ... values = Params(std::forward<Args>(args))] { kernel(values...); }));
#else
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream.get();
  config.attrs = &attribute;
  config.numAttrs = shape.programmatic ? 1 : 0;
  GONOGO_CUDA(cudaLaunchKernelEx(&config, kernel, Params(std::forward<Args>(args))...));
#endif
}

}  // namespace gonogo::core
