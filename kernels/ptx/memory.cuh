// Loads with cache hints, and dynamic shared memory.
#pragma once

#include <cuda_runtime.h>

#include "harness/core/cuda/launch.cuh"

namespace gonogo::kernels::ptx {

/// 16 bytes of a stream that is read once: past L1, which stays for data read again. Read-only for the kernel's whole
/// life.
__device__ __forceinline__ uint4 load_streamed(const uint4* from) {
#ifdef GONOGO_SIMT
  return *from;
#else
  uint4 v;
  asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
      : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
      : "l"(from));
  return v;
#endif
}

/// Starts the fetch of the 128-byte line around an address from memory into L2; no register waits for it.
__device__ __forceinline__ void prefetch_into_l2(const void* from) {
#ifdef GONOGO_SIMT
  static_cast<void>(from);
#else
  asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
#endif
}

/// A float that another block of the same grid wrote before a fence: read from L2, since L1 is not coherent between
/// blocks.
__device__ __forceinline__ float load_from_l2(const float* from) {
#ifdef GONOGO_SIMT
  return *from;
#else
  return __ldcg(from);
#endif
}

/// The block's dynamic shared memory, 16-byte aligned.
template <class T>
__device__ __forceinline__ T* dynamic_shared() {
#ifdef GONOGO_SIMT
  return reinterpret_cast<T*>(simt::dynamic_shared());
#else
  extern __shared__ __align__(16) unsigned char gonogo_dynamic_shared[];
  return reinterpret_cast<T*>(gonogo_dynamic_shared);
#endif
}

}  // namespace gonogo::kernels::ptx
