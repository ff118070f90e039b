// One warp per output column. A lane takes kBytes of codes at a time, 8 codes a unit, scale and zero point per 16
// codes.
#pragma once

#include "harness/core/cuda/launch.cuh"
#include "kernels/int4_matmul/cuda/gemv.hpp"
#include "kernels/int4_matmul/cuda/weights.cuh"
#include "kernels/ptx/memory.cuh"
#include "kernels/ptx/warp.cuh"

namespace gonogo::kernels::int4_matmul::cuda {

inline constexpr int kGemvWarps = 8;

template <int kBytes>
__device__ __forceinline__ void load_codes(const std::uint8_t* from, std::uint32_t (&to)[kBytes / 4]) {
  if constexpr (kBytes == 16) {
    const uint4 v = ptx::load_streamed(reinterpret_cast<const uint4*>(from));
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
  } else {
    const uint2 v = *reinterpret_cast<const uint2*>(from);
    to[0] = v.x, to[1] = v.y;
  }
}

template <class T, int bits, int kBytes>
__global__ void __launch_bounds__(kGemvWarps * 32)
    gemv_kernel(const T* x, const Weights<T> w, const T* bias, T* y, int n, int k) {
  constexpr int kWordsPerUnit = bits / 4;  // words that hold 8 codes
  constexpr int kUnits = kBytes / 4 / kWordsPerUnit;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int column = static_cast<int>(blockIdx.x) * kGemvWarps + static_cast<int>(threadIdx.x) / 32;
  if (column >= n) return;  // the whole warp
  const std::uint8_t* row = w.codes + column * w.row_bytes;
  const bool aligned = k % 8 == 0;
  float sum = 0.0f;
#pragma unroll 2
  for (std::int64_t at = lane * kBytes; at < w.row_bytes; at += 32 * kBytes) {
    std::uint32_t words[kBytes / 4];
    load_codes<kBytes>(row + at, words);
    const int first = static_cast<int>(at * 8 / bits);
    float scale = 0.0f;
    float zero = 0.0f;
#pragma unroll
    for (int unit = 0; unit < kUnits; ++unit) {
      const int k0 = first + unit * 8;
      if (k0 >= k) break;
      if (unit % 2 == 0) {
        scale = scale_at(w, column, k0 >> w.block_shift);
        zero = zero_at<T, bits>(w, column, k0 >> w.block_shift);
      }
      float a[8];
      if (aligned) {
        ptx::load_eight(x + k0, a);
      } else {
        ptx::load_some(x + k0, k - k0, a);
      }
      float part = 0.0f;
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        const std::uint32_t word = words[unit * kWordsPerUnit + i * bits / 32];
        const auto code = static_cast<float>(word >> (i * bits % 32) & ((1u << bits) - 1));
        part = fmaf(code - zero, a[i], part);
      }
      sum = fmaf(scale, part, sum);
    }
  }
  sum = ptx::warp_reduce(sum, ptx::Sum{});
  if (lane == 0) y[column] = ptx::from_float<T>(sum + (bias != nullptr ? ptx::to_float(bias[column]) : 0.0f));
}

template <class T>
void launch_gemv(const Problem& p, const Args& args, core::StreamRef stream) {
  const auto go = [&](auto kernel) {
    core::launch(
        kernel,
        {.grid = dim3(static_cast<unsigned>((p.n + kGemvWarps - 1) / kGemvWarps)), .block = dim3(kGemvWarps * 32)},
        stream, static_cast<const T*>(args.x), weights_of<T>(p, args), static_cast<const T*>(args.bias),
        static_cast<T*>(args.y), static_cast<int>(p.n), static_cast<int>(p.k));
  };
  const bool wide = p.row_bytes() % 16 == 0;
  if (p.bits == 4) {
    go(wide ? gemv_kernel<T, 4, 16> : gemv_kernel<T, 4, 8>);
  } else {
    go(gemv_kernel<T, 8, 16>);  // a block of 16 codes is 16 bytes, so rows always are whole vectors
  }
}

}  // namespace gonogo::kernels::int4_matmul::cuda
