// One head's rotation, shared by the operator and by the append to the cache.
#pragma once

#include <cstdint>

#include "kernels/ptx/number.cuh"

namespace gonogo::kernels::rope::cuda {

inline constexpr int kThreads = 128;  // of a block; it rotates one head

struct Rotation {
  int head_dim, rotary_dim;
  bool interleaved;
  int table_rows;
};

/// From `from` to `to`; `to` may be `from`: a thread reads both of a pair before it writes them.
template <class T>
__device__ __forceinline__ void rotate_head(const T* from, T* to, const T* cos, const T* sin, const Rotation& r) {
  const int half = r.rotary_dim / 2;
  for (int i = static_cast<int>(threadIdx.x); i < half; i += kThreads) {
    const int a = r.interleaved ? 2 * i : i;
    const int b = r.interleaved ? 2 * i + 1 : i + half;
    const float x = ptx::to_float(from[a]);
    const float y = ptx::to_float(from[b]);
    const float c = ptx::to_float(cos[i]);
    const float s = ptx::to_float(sin[i]);
    to[a] = ptx::from_float<T>(x * c - y * s);
    to[b] = ptx::from_float<T>(y * c + x * s);
  }
  for (int i = r.rotary_dim + static_cast<int>(threadIdx.x); i < r.head_dim; i += kThreads) to[i] = from[i];
}

/// The row of the tables for a position, clamped into them.
__device__ __forceinline__ std::int64_t table_row(std::int64_t position, const Rotation& r) {
  return position < 0 ? 0 : position >= r.table_rows ? r.table_rows - 1 : position;
}

}  // namespace gonogo::kernels::rope::cuda
