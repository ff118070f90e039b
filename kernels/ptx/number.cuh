// Element types of activations: conversion to and from float32 (round to nearest even), one by one and eight at a time.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace gonogo::kernels::ptx {

__device__ __forceinline__ float to_float(float v) { return v; }
__device__ __forceinline__ float to_float(__half v) { return __half2float(v); }
__device__ __forceinline__ float to_float(__nv_bfloat16 v) { return __bfloat162float(v); }

template <class T>
__device__ __forceinline__ T from_float(float v);
template <>
__device__ __forceinline__ float from_float<float>(float v) {
  return v;
}
template <>
__device__ __forceinline__ __half from_float<__half>(float v) {
  return __float2half_rn(v);
}
template <>
__device__ __forceinline__ __nv_bfloat16 from_float<__nv_bfloat16>(float v) {
  return __float2bfloat16_rn(v);
}

/// Eight neighbouring elements; a load of one is one or two 16-byte accesses.
template <class T>
struct alignas(16) Eight {
  T v[8];
};

template <class T>
__device__ __forceinline__ void load_eight(const T* from, float (&to)[8]) {
  const Eight<T> raw = *reinterpret_cast<const Eight<T>*>(from);
#pragma unroll
  for (int i = 0; i < 8; ++i) to[i] = to_float(raw.v[i]);
}

template <class T>
__device__ __forceinline__ void store_eight(T* to, const float (&from)[8]) {
  Eight<T> raw;
#pragma unroll
  for (int i = 0; i < 8; ++i) raw.v[i] = from_float<T>(from[i]);
  *reinterpret_cast<Eight<T>*>(to) = raw;
}

/// Up to eight elements, 0 past `count`; any alignment.
template <class T>
__device__ __forceinline__ void load_some(const T* from, int count, float (&to)[8]) {
#pragma unroll
  for (int i = 0; i < 8; ++i) to[i] = i < count ? to_float(from[i]) : 0.0f;
}

}  // namespace gonogo::kernels::ptx
