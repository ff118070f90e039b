// A block of 16x16 threads makes 16 rows x 16 columns; per step of 32 k it stages activations and dequantised weights
// in shared memory as float32, and every thread adds 32 products.
#pragma once

#include "harness/core/cuda/launch.cuh"
#include "kernels/int4_matmul/cuda/tiled.hpp"
#include "kernels/int4_matmul/cuda/weights.cuh"

namespace gonogo::kernels::int4_matmul::cuda {

inline constexpr int kTile = 16;
inline constexpr int kTileK = 32;

template <class T, int bits>
__global__ void __launch_bounds__(kTile* kTile)
    tiled_kernel(const T* x, const Weights<T> w, const T* bias, T* y, int m, int n, int k) {
  // One column of padding: threads of a warp read 16 different rows of `weight` at one k.
  __shared__ float activation[kTile][kTileK + 1];
  __shared__ float weight[kTile][kTileK + 1];
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int row = static_cast<int>(blockIdx.y) * kTile + ty;  // of x that this thread loads and of y that it makes
  const int first_column = static_cast<int>(blockIdx.x) * kTile;
  const int load_column = first_column + ty;  // whose weights this thread loads
  float sum = 0.0f;
  for (int k0 = 0; k0 < k; k0 += kTileK) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int at = k0 + 2 * tx + i;
      activation[ty][2 * tx + i] = row < m && at < k ? ptx::to_float(x[static_cast<std::int64_t>(row) * k + at]) : 0.0f;
      float value = 0.0f;
      if (load_column < n && at < k) {
        const std::uint8_t byte = w.codes[load_column * w.row_bytes + at * bits / 8];
        const int code = bits == 8 ? byte : byte >> (at % 2 * 4) & 15;
        const int block = at >> w.block_shift;
        value = (static_cast<float>(code) - zero_at<T, bits>(w, load_column, block)) * scale_at(w, load_column, block);
      }
      weight[ty][2 * tx + i] = value;
    }
    __syncthreads();  // orders the stores above before the reads below
#pragma unroll
    for (int i = 0; i < kTileK; ++i) sum = fmaf(activation[ty][i], weight[tx][i], sum);
    __syncthreads();  // orders the reads before the next step's stores
  }
  const int column = first_column + tx;
  if (row < m && column < n)
    y[static_cast<std::int64_t>(row) * n + column] =
        ptx::from_float<T>(sum + (bias != nullptr ? ptx::to_float(bias[column]) : 0.0f));
}

template <class T>
void launch_tiled(const Problem& p, const Args& args, core::StreamRef stream) {
  const auto tiles = [](std::int64_t extent) { return static_cast<unsigned>((extent + kTile - 1) / kTile); };
  core::launch(p.bits == 4 ? tiled_kernel<T, 4> : tiled_kernel<T, 8>,
               {.grid = dim3(tiles(p.n), tiles(p.m)), .block = dim3(kTile, kTile)}, stream,
               static_cast<const T*>(args.x), weights_of<T>(p, args), static_cast<const T*>(args.bias),
               static_cast<T*>(args.y), static_cast<int>(p.m), static_cast<int>(p.n), static_cast<int>(p.k));
}

}  // namespace gonogo::kernels::int4_matmul::cuda
