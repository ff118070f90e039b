// Inside of the norms: pointers, extents and the arithmetic of one element.
#pragma once

#include "harness/core/cuda/launch.cuh"
#include "harness/core/error.hpp"
#include "kernels/norm/cuda/norm.hpp"
#include "kernels/ptx/by_type.cuh"
#include "kernels/ptx/number.cuh"
#include "kernels/ptx/pdl.cuh"
#include "kernels/ptx/warp.cuh"

namespace gonogo::kernels::norm::cuda {

template <class T>
struct Pointers {
  const T* x;
  const T* skip;
  const T* bias;
  const void* gamma;  // of T, or float when f32_gamma
  const void* beta;
  void* y;  // of T, or float when f32_output
  T* sum;
  float* mean;
  float* inverse;
};

struct Extents {
  int hidden, skip_rows;
  float epsilon;
  bool layer, round_before_gamma, f32_gamma, f32_output;
};

template <class T>
Pointers<T> pointers_of(const Problem& p, const Args& a) {
  return {static_cast<const T*>(a.x),
          p.skip ? static_cast<const T*>(a.skip) : nullptr,
          p.skip_bias ? static_cast<const T*>(a.bias) : nullptr,
          a.gamma,
          p.beta ? a.beta : nullptr,
          a.y,
          p.sum_output ? static_cast<T*>(a.sum) : nullptr,
          a.mean,
          a.inverse};
}

inline Extents extents_of(const Problem& p) {
  return {static_cast<int>(p.hidden),
          static_cast<int>(p.skip_rows != 0 ? p.skip_rows : p.rows),
          p.epsilon,
          p.kind == Kind::layer,
          p.round_before_gamma,
          p.f32_gamma,
          p.f32_output};
}

/// gamma or beta at i.
template <class T>
__device__ __forceinline__ float weight_at(const void* weights, const Extents& e, int i) {
  return e.f32_gamma ? static_cast<const float*>(weights)[i] : ptx::to_float(static_cast<const T*>(weights)[i]);
}

/// x + skip + bias at element i of a row.
template <class T>
__device__ __forceinline__ float summed(const Pointers<T>& p, const Extents& e, int row, int i) {
  float s = ptx::to_float(p.x[static_cast<std::int64_t>(row) * e.hidden + i]);
  if (p.skip != nullptr) s += ptx::to_float(p.skip[static_cast<std::int64_t>(row % e.skip_rows) * e.hidden + i]);
  if (p.bias != nullptr) s += ptx::to_float(p.bias[i]);
  return s;
}

/// The normalised element. The product with gamma is not fused with the sum with beta: all paths round alike.
template <class T>
__device__ __forceinline__ float scaled(const Extents& e, float centred, float inverse, float gamma, float beta) {
  float value = centred * inverse;
  if (e.round_before_gamma) value = ptx::to_float(ptx::from_float<T>(value));
#ifdef GONOGO_SIMT
  return value * gamma + beta;
#else
  return __fadd_rn(__fmul_rn(value, gamma), beta);
#endif
}

template <class T>
__device__ __forceinline__ void store(const Pointers<T>& p, const Extents& e, std::int64_t at, float value) {
  if (e.f32_output) {
    static_cast<float*>(p.y)[at] = value;
  } else {
    static_cast<T*>(p.y)[at] = ptx::from_float<T>(value);
  }
}

__device__ __forceinline__ float inverse_of(const Extents& e, float squares) {
  return 1.0f / sqrtf(squares / static_cast<float>(e.hidden) + e.epsilon);
}

template <class T>
__device__ __forceinline__ void store_statistics(const Pointers<T>& p, int row, float mean, float inverse) {
  if (threadIdx.x != 0) return;
  if (p.mean != nullptr) p.mean[row] = mean;
  if (p.inverse != nullptr) p.inverse[row] = inverse;
}

}  // namespace gonogo::kernels::norm::cuda
