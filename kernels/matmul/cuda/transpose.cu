#include "kernels/matmul/cuda/transpose.hpp"

#include <algorithm>

#include "harness/core/cuda/launch.cuh"
#include "kernels/ptx/by_type.cuh"

namespace gonogo::kernels::matmul::cuda {
namespace {

constexpr int kTile = 32;
constexpr int kRows = 8;  // threads along y

/// Grid (k tiles, n tiles strided): a tile goes through shared memory so that both sides are read and written by rows.
template <class T>
__global__ void __launch_bounds__(kTile* kRows) transpose_kernel(const T* from, T* to, int k, int n) {
  __shared__ T tile[kTile][kTile + 1];
  const int x = static_cast<int>(threadIdx.x) % kTile;
  const int y = static_cast<int>(threadIdx.x) / kTile;
  const int first_k = static_cast<int>(blockIdx.x) * kTile;
  for (int first_n = static_cast<int>(blockIdx.y) * kTile; first_n < n;
       first_n += static_cast<int>(gridDim.y) * kTile) {
    for (int i = y; i < kTile; i += kRows)
      if (first_k + i < k && first_n + x < n)
        tile[i][x] = from[static_cast<std::int64_t>(first_k + i) * n + first_n + x];
    __syncthreads();  // orders the tile's stores before its reads
    for (int i = y; i < kTile; i += kRows)
      if (first_n + i < n && first_k + x < k) to[static_cast<std::int64_t>(first_n + i) * k + first_k + x] = tile[x][i];
    __syncthreads();  // orders the reads before the next tile's stores
  }
}

}  // namespace

void transpose(const Problem& p, const void* from, void* to, core::StreamRef stream) {
  constexpr unsigned kMostBlocks = 65535;
  const auto tiles = [](std::int64_t extent) { return static_cast<unsigned>((extent + kTile - 1) / kTile); };
  ptx::by_type(p.type, [&](auto zero) {
    using T = decltype(zero);
    core::launch(transpose_kernel<T>,
                 {.grid = dim3(tiles(p.k), std::min(tiles(p.n), kMostBlocks)), .block = dim3(kTile * kRows)}, stream,
                 static_cast<const T*>(from), static_cast<T*>(to), static_cast<int>(p.k), static_cast<int>(p.n));
  });
}

}  // namespace gonogo::kernels::matmul::cuda
