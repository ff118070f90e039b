// Programmatic dependent launch (PTX ISA "griddepcontrol", sm_90). Both do nothing for an ordinary launch.
#pragma once

#include <cuda_runtime.h>

namespace gonogo::kernels::ptx {

/// Waits until the grid before this one has finished and its writes are visible. Before it a kernel may only read what
/// no earlier kernel of the stream writes, such as weights.
__device__ __forceinline__ void wait_for_previous_grid() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Lets the next grid be scheduled where there is room. It publishes nothing: the next grid still waits as above.
__device__ __forceinline__ void let_next_grid_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // namespace gonogo::kernels::ptx
