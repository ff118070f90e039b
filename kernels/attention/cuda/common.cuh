// What the attention kernels share: extents, the range of keys a row sees, the score after q.k, tiles in shared memory.
#pragma once

#include <cmath>

#include "harness/core/cuda/launch.cuh"
#include "harness/core/error.hpp"
#include "kernels/attention/cuda/attention.hpp"
#include "kernels/ptx/by_type.cuh"
#include "kernels/ptx/memory.cuh"
#include "kernels/ptx/number.cuh"
#include "kernels/ptx/pdl.cuh"
#include "kernels/ptx/warp.cuh"

namespace gonogo::kernels::attention::cuda {

/// Far below any score, yet its difference to one is finite. Tests are written !(s <= kLowest), so that a NaN score
/// stays one.
inline constexpr float kLowest = -1e30f;

template <class T>
struct Pointers {
  const T* query;
  const T* keys;
  const T* values;
  const std::int32_t* last_valid;
  const T* sink;
  const T* bias;
  T* y;
};

struct Extents {
  int rows, heads, group, head_dim, capacity, window;
  float scale, softcap;
  bool smooth, causal;
  int bias_heads;
  std::int64_t bias_row_stride;
};

template <class T>
Pointers<T> pointers_of(const Problem& p, const Args& a) {
  return {static_cast<const T*>(a.query),
          static_cast<const T*>(a.key_cache),
          static_cast<const T*>(a.value_cache),
          a.last_valid,
          p.head_sink ? static_cast<const T*>(a.sink) : nullptr,
          p.bias_heads > 0 ? static_cast<const T*>(a.bias) : nullptr,
          static_cast<T*>(a.y)};
}

inline Extents extents_of(const Problem& p) {
  return {static_cast<int>(p.rows),
          static_cast<int>(p.heads),
          static_cast<int>(p.heads / p.kv_heads),
          static_cast<int>(p.head_dim),
          static_cast<int>(p.capacity),
          static_cast<int>(p.window),
          p.scale != 0 ? p.scale : 1.0f / std::sqrt(static_cast<float>(p.head_dim)),
          p.softcap,
          p.smooth_softmax,
          p.causal,
          static_cast<int>(p.bias_heads),
          p.bias_row_stride};
}

/// Keys [begin, end) that a row sees, never past the cache.
struct KeyRange {
  int begin, end;
};
__device__ __forceinline__ KeyRange keys_of(const Extents& e, int last_valid, int row) {
  const int valid = min(last_valid + 1, e.capacity);
  const int end = e.causal ? min(last_valid - e.rows + 2 + row, valid) : valid;
  return {e.window >= 0 ? max(0, end - e.window) : 0, end};
}

/// One (row, head)'s line of the bias, or null.
template <class T>
__device__ __forceinline__ const T* bias_line(const Pointers<T>& p, const Extents& e, int last_valid, int row,
                                              int head) {
  if (p.bias == nullptr) return nullptr;
  const std::int64_t stride = e.bias_row_stride != 0 ? e.bias_row_stride : last_valid + 1;
  return p.bias + (static_cast<std::int64_t>(e.bias_heads == 1 ? 0 : head) * e.rows + row) * stride;
}

/// The score of a key that is seen.
template <class T>
__device__ __forceinline__ float score_of(const Extents& e, float dot, const T* bias, int key) {
  float s = dot * e.scale;
  if (e.softcap > 0.0f) s = e.softcap * tanhf(s / e.softcap);
  if (bias != nullptr) s += ptx::to_float(bias[key]);
  return s;
}

/// exp(score - maximum), 0 for a key that is not seen.
__device__ __forceinline__ float weight_of(float score, float maximum) {
  return !(score <= kLowest) ? expf(score - maximum) : 0.0f;
}

/// Elements between rows of a shared tile: an odd number of 16-byte units, so that eight rows at one column meet all
/// banks.
template <class T>
__host__ __device__ constexpr int padded_row(int head_dim) {
  constexpr int kUnit = 16 / static_cast<int>(sizeof(T));
  return ((head_dim / kUnit) | 1) * kUnit;
}

/// Rows [first, first + kRows) of one head's keys or values into shared memory; rows outside [begin, end) become zeros,
/// so that whatever the cache holds there, NaN included, reaches no sum.
template <class T, int kRows, int kThreads>
__device__ __forceinline__ void load_tile(T* tile, const T* head, int first, KeyRange range, int head_dim, int thread) {
  const int units = head_dim / 8;
  const int stride = padded_row<T>(head_dim);
  for (int i = thread; i < kRows * units; i += kThreads) {
    const int row = i / units;
    const int column = i % units * 8;
    const int key = first + row;
    ptx::Eight<T> value;
#pragma unroll
    for (int j = 0; j < 8; ++j) value.v[j] = ptx::from_float<T>(0.0f);
    if (key >= range.begin && key < range.end)
      value = *reinterpret_cast<const ptx::Eight<T>*>(head + static_cast<std::int64_t>(key) * head_dim + column);
    *reinterpret_cast<ptx::Eight<T>*>(tile + row * stride + column) = value;
  }
}

inline void expect_eligible(const Problem& p) {
  const core::Eligibility answer = eligible(p);
  GONOGO_EXPECT(static_cast<bool>(answer), "an eligible problem: " + to_string(answer.reason()));
}

}  // namespace gonogo::kernels::attention::cuda
