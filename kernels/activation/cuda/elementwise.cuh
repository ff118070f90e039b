// Inside of the elementwise kernels: one thread an element, or eight.
#pragma once

#include "harness/core/cuda/launch.cuh"
#include "harness/core/error.hpp"
#include "kernels/activation/cuda/pointwise.hpp"
#include "kernels/ptx/by_type.cuh"
#include "kernels/ptx/number.cuh"
#include "kernels/ptx/pdl.cuh"

namespace gonogo::kernels::activation::cuda {

inline constexpr int kThreads = 256;

__device__ __forceinline__ std::int64_t thread_index() {
  return static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
}

inline core::LaunchShape shape_for(std::int64_t threads, Overlap overlap = Overlap::off) {
  constexpr std::int64_t kMostBlocks = (std::int64_t{1} << 31) - 1;
  const std::int64_t blocks = (threads + kThreads - 1) / kThreads;
  GONOGO_EXPECT(blocks > 0 && blocks <= kMostBlocks, "1 to 2^31 - 1 blocks of elements");
  return {.grid = dim3(static_cast<unsigned>(blocks)),
          .block = dim3(kThreads),
          .programmatic = overlap == Overlap::with_previous};
}

inline bool aligned(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0; }

__device__ __forceinline__ float silu(float x) { return x / (1.0f + expf(-x)); }

}  // namespace gonogo::kernels::activation::cuda
