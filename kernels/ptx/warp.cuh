// Reductions over a warp and over a block, in a fixed order: the same bits on every run.
#pragma once

#include <cuda_runtime.h>

#include "harness/core/cuda/launch.cuh"

namespace gonogo::kernels::ptx {

inline constexpr unsigned kAllLanes = 0xffffffffu;

struct Sum {
  __device__ __forceinline__ float operator()(float a, float b) const { return a + b; }
  static constexpr float kNeutral = 0.0f;
};
struct Max {
  __device__ __forceinline__ float operator()(float a, float b) const { return fmaxf(a, b); }
  static constexpr float kNeutral = -3.402823466e38f;
};

/// Over `width` neighbouring lanes (a power of two); every lane gets the result.
template <class Op, int width = 32>
__device__ __forceinline__ float warp_reduce(float v, Op op = {}) {
#pragma unroll
  for (int step = width / 2; step > 0; step /= 2) v = op(v, __shfl_xor_sync(kAllLanes, v, step));
  return v;
}

/// Over a block of `threads` (a multiple of 32, at most 1024); every thread gets the result. `scratch`: threads / 32
/// floats of shared memory, free again after the call's second barrier.
template <class Op, int threads>
__device__ __forceinline__ float block_reduce(float v, float* scratch, Op op = {}) {
  static_assert(threads % 32 == 0 && threads <= 1024, "whole warps");
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  v = warp_reduce(v, op);
  if (lane == 0) scratch[warp] = v;
  __syncthreads();  // orders the warps' results before every thread's read
  float all = scratch[0];
#pragma unroll
  for (int i = 1; i < threads / 32; ++i) all = op(all, scratch[i]);
  __syncthreads();  // orders the reads before the next use of scratch
  return all;
}

}  // namespace gonogo::kernels::ptx
