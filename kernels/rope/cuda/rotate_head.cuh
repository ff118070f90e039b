// One head turned by its position's angles; what both rotary kernels share.
#pragma once

#include "harness/core/cuda/launch.cuh"
#include "kernels/ptx/number.cuh"

namespace gonogo::kernels::rope::cuda {

struct HeadShape {
  int head_dim, rotary_dim;
  bool interleaved;
};

/// `to` may be `from`: a thread reads both of a pair before it writes them. All threads of the block take part.
template <class T>
__device__ __forceinline__ void rotate_head(const T* from, T* to, const T* cos, const T* sin, HeadShape shape) {
  const int threads = static_cast<int>(blockDim.x);
  const int half = shape.rotary_dim / 2;
  for (int i = static_cast<int>(threadIdx.x); i < half; i += threads) {
    const int a = shape.interleaved ? 2 * i : i;
    const int b = shape.interleaved ? 2 * i + 1 : i + half;
    const float x = ptx::to_float(from[a]);
    const float y = ptx::to_float(from[b]);
    const float c = ptx::to_float(cos[i]);
    const float s = ptx::to_float(sin[i]);
    to[a] = ptx::from_float<T>(x * c - y * s);
    to[b] = ptx::from_float<T>(y * c + x * s);
  }
  for (int i = shape.rotary_dim + static_cast<int>(threadIdx.x); i < shape.head_dim; i += threads) to[i] = from[i];
}

}  // namespace gonogo::kernels::rope::cuda
