// The mma kernel. A block owns row_tiles x 16 rows of the weights and up to 32 tokens; its warps take k tiles in turn
// (warp w takes w, w + warps, ...) and meet in shared memory in warp order. With a grid split, blocks of one row tile
// write partial sums and the last to arrive adds them in block order. No order depends on m or on timing.
#pragma once

#include "harness/core/cuda/launch.cuh"
#include "kernels/int4_matmul/cuda/mma_launch.hpp"
#include "kernels/ptx/memory.cuh"
#include "kernels/ptx/mma.cuh"
#include "kernels/ptx/pdl.cuh"

namespace gonogo::kernels::int4_matmul::cuda {

template <class T>
struct MmaPointers {
  const T* x;
  const uint4* codes;
  const std::uint32_t* scales;  // pairs of T
  const std::uint16_t* zeros;   // pairs of bytes, or null
  const T* bias;
  T* y;
  float* partials;
  unsigned* counters;
  int m, n, k;
  int row_tiles, k_tiles, blocks;
  int block_shift;  // log2 of the k tiles per scale block; unused when a tile holds two blocks
};

/// One warp's 16x8 results in shared memory: columns 20 floats apart, so that the four lanes of a row hit different
/// banks.
inline constexpr int kColumnStride = 20;
inline constexpr int kResultFloats = 8 * kColumnStride;

/// Scale and zero-point constants of rows g and g+8 for one block.
template <class T>
struct BlockScale {
  float low, high;
  ptx::Codes<T> codes;

  __device__ __forceinline__ BlockScale(const MmaPointers<T>& p, std::uint32_t pair, std::int64_t at)
      : low(ptx::Pair<T>::low(pair)), high(ptx::Pair<T>::high(pair)), codes(zero(p, at, 0), zero(p, at, 8)) {}

  /// Where the pair of a row tile's block lies.
  static __device__ __forceinline__ std::int64_t at(const MmaPointers<T>& p, int row_tile, int block, int g) {
    return (static_cast<std::int64_t>(row_tile) * p.blocks + block) * 8 + g;
  }

 private:
  static __device__ __forceinline__ float zero(const MmaPointers<T>& p, std::int64_t at, int shift) {
    return p.zeros == nullptr ? 8.0f : static_cast<float>(p.zeros[at] >> shift & 0xff);
  }
};

/// What a warp holds of one k tile before it multiplies: codes, and their scales, which would cost a second trip to
/// memory if they were asked for when the codes are there.
template <int kRowTiles, int kBlocksPerTile>
struct Slot {
  uint4 codes[kRowTiles];
  std::uint32_t scales[kRowTiles][kBlocksPerTile];
};

/// kBlocksPerTile: 2 for blocks of 32, else 1 (a block is one or more whole tiles). kTokenTiles: 8-token tiles.
template <class T, class Tuning, int kBlocksPerTile, int kTokenTiles>
__global__ void __launch_bounds__(Tuning::tuning.warps * 32, kTokenTiles > 1 || Tuning::tuning.row_tiles > 1 ? 1 : 2)
    mma_kernel(const MmaPointers<T> p) {
  constexpr int kWarps = Tuning::tuning.warps;
  constexpr int kRowTiles = Tuning::tuning.row_tiles;
  constexpr int kDepth = Tuning::tuning.depth;
  __shared__ float results[kWarps][kRowTiles * kTokenTiles][kResultFloats];
  static_assert(sizeof(results) <= 48 * 1024, "static shared memory");

  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int g = lane / 4;
  const int t = lane % 4;
  const int first_token = static_cast<int>(blockIdx.x) * kTokenTiles * kMmaTokens;
  const int first_row_tile = static_cast<int>(blockIdx.y) * kRowTiles;
  const int split = static_cast<int>(blockIdx.z);
  const int splits = static_cast<int>(gridDim.z);
  const int k_begin = static_cast<int>(static_cast<std::int64_t>(p.k_tiles) * split / splits);
  const int k_end = static_cast<int>(static_cast<std::int64_t>(p.k_tiles) * (split + 1) / splits);

  const auto block_of = [&](int k_tile, int half) {
    return kBlocksPerTile == 2 ? 2 * k_tile + half : k_tile >> p.block_shift;
  };
  Slot<kRowTiles, kBlocksPerTile> ring[kDepth];
  const auto fetch = [&](Slot<kRowTiles, kBlocksPerTile>& slot, int k_tile) {
#pragma unroll
    for (int r = 0; r < kRowTiles; ++r) {
      // A row tile past the end reads the last one; its results are not stored.
      const int row_tile = min(first_row_tile + r, p.row_tiles - 1);
      slot.codes[r] =
          ptx::load_streamed(p.codes + (static_cast<std::int64_t>(row_tile) * p.k_tiles + k_tile) * 32 + lane);
#pragma unroll
      for (int half = 0; half < kBlocksPerTile; ++half)
        slot.scales[r][half] = p.scales[BlockScale<T>::at(p, row_tile, block_of(k_tile, half), g)];
    }
  };

  float total[kRowTiles][kTokenTiles][4] = {};
  const auto multiply = [&](const Slot<kRowTiles, kBlocksPerTile>& slot, int k_tile) {
    float part[kRowTiles][kTokenTiles][4] = {};
#pragma unroll
    for (int half = 0; half < 2; ++half) {  // 32 k each: one 16-byte load of activations per token
      uint4 x[kTokenTiles];
#pragma unroll
      for (int tile = 0; tile < kTokenTiles; ++tile) {
        const int token = first_token + tile * kMmaTokens + g;
        x[tile] = make_uint4(0, 0, 0, 0);
        if (token < p.m)
          x[tile] = *reinterpret_cast<const uint4*>(p.x + static_cast<std::int64_t>(token) * p.k + k_tile * kMmaK +
                                                    half * 32 + 8 * t);
      }
#pragma unroll
      for (int r = 0; r < kRowTiles; ++r) {
        const int row_tile = min(first_row_tile + r, p.row_tiles - 1);
        const BlockScale<T> scale(p, slot.scales[r][kBlocksPerTile == 2 ? half : 0],
                                  BlockScale<T>::at(p, row_tile, block_of(k_tile, half), g));
        const std::uint32_t words[4] = {slot.codes[r].x, slot.codes[r].y, slot.codes[r].z, slot.codes[r].w};
#pragma unroll
        for (int step = 0; step < 2; ++step) {
          std::uint32_t a[4];
          scale.codes.decode(words[2 * half + step], a);
#pragma unroll
          for (int tile = 0; tile < kTokenTiles; ++tile)
            ptx::mma_16x8x16<T>(part[r][tile], a, step == 0 ? x[tile].x : x[tile].z, step == 0 ? x[tile].y : x[tile].w);
        }
        if (kBlocksPerTile == 2 || half == 1) {  // the block, or this tile's share of it, is summed: scale in float32
#pragma unroll
          for (int tile = 0; tile < kTokenTiles; ++tile)
#pragma unroll
            for (int i = 0; i < 4; ++i) {
              total[r][tile][i] = fmaf(part[r][tile][i], i < 2 ? scale.low : scale.high, total[r][tile][i]);
              part[r][tile][i] = 0.0f;
            }
        }
      }
    }
  };

  // Weights depend on no earlier kernel: fetch them before waiting for the one that makes x.
#pragma unroll
  for (int d = 0; d < kDepth; ++d)
    if (k_begin + warp + d * kWarps < k_end) fetch(ring[d], k_begin + warp + d * kWarps);
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();

  for (int base = k_begin + warp; base < k_end; base += kDepth * kWarps) {
#pragma unroll
    for (int d = 0; d < kDepth; ++d) {
      const int k_tile = base + d * kWarps;
      if (k_tile < k_end) {
        const Slot<kRowTiles, kBlocksPerTile> slot = ring[d];
        if (k_tile + kDepth * kWarps < k_end) fetch(ring[d], k_tile + kDepth * kWarps);
        multiply(slot, k_tile);
      }
    }
  }

#pragma unroll
  for (int r = 0; r < kRowTiles; ++r)
#pragma unroll
    for (int tile = 0; tile < kTokenTiles; ++tile)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        results[warp][r * kTokenTiles + tile][(2 * t + i % 2) * kColumnStride + g + 8 * (i / 2)] = total[r][tile][i];
  __syncthreads();  // orders every warp's results before the sums below

  constexpr int kElements = kRowTiles * kTokenTiles * 128;
  const auto store = [&](int element, float sum) {
    const int row = (first_row_tile + element / (kTokenTiles * 128)) * kMmaRows + element % 16;
    const int token = first_token + element / 128 % kTokenTiles * kMmaTokens + element / 16 % 8;
    if (row < p.n && token < p.m)
      p.y[static_cast<std::int64_t>(token) * p.n + row] =
          ptx::from_float<T>(sum + (p.bias != nullptr ? ptx::to_float(p.bias[row]) : 0.0f));
  };
  const int group = static_cast<int>(blockIdx.y * gridDim.x + blockIdx.x);
  float* partials = p.partials + static_cast<std::int64_t>(group) * splits * kElements;
  for (int element = static_cast<int>(threadIdx.x); element < kElements; element += kWarps * 32) {
    const int at = element / 16 % 8 * kColumnStride + element % 16;
    float sum = 0.0f;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) sum += results[w][element / 128][at];
    if (splits == 1) {
      store(element, sum);
    } else {
      partials[static_cast<std::int64_t>(split) * kElements + element] = sum;
    }
  }
  if (splits == 1) return;

  __shared__ bool last;
  __threadfence();  // publishes this thread's partial sums before the block's arrival
  __syncthreads();  // orders all threads' fences before the arrival
  if (threadIdx.x == 0) last = atomicAdd(&p.counters[group], 1u) == static_cast<unsigned>(splits) - 1;
  __syncthreads();  // orders the verdict before its readers
  if (!last) return;
  __threadfence();  // orders the counter before the reads of the others' partial sums
  for (int element = static_cast<int>(threadIdx.x); element < kElements; element += kWarps * 32) {
    float sum = 0.0f;
    for (int s = 0; s < splits; ++s)
      sum += ptx::load_from_l2(partials + static_cast<std::int64_t>(s) * kElements + element);
    store(element, sum);
  }
  if (threadIdx.x == 0) p.counters[group] = 0;
}

template <class T, class Tuning>
void launch_mma(const Problem& p, const MmaArgs& args, Overlap overlap, core::StreamRef stream) {
  constexpr MmaTuning kTuning = Tuning::tuning;
  const MmaLayout layout = mma_layout(p);
  const int splits = mma_plan(p).grid_split;
  const int token_tiles = mma_token_tiles(p.m);
  const unsigned chunks = static_cast<unsigned>((p.m + token_tiles * kMmaTokens - 1) / (token_tiles * kMmaTokens));
  const unsigned groups = static_cast<unsigned>((layout.row_tiles + kTuning.row_tiles - 1) / kTuning.row_tiles);
  int block_shift = 0;
  while ((kMmaK << block_shift) < p.block_size) ++block_shift;
  const std::size_t partials_at = (std::size_t{chunks} * groups * 4 + 255) / 256 * 256;
  const MmaPointers<T> pointers{static_cast<const T*>(args.x),
                                reinterpret_cast<const uint4*>(args.packed + layout.codes_at),
                                reinterpret_cast<const std::uint32_t*>(args.packed + layout.scales_at),
                                p.zero_points == ZeroPoints::packed
                                    ? reinterpret_cast<const std::uint16_t*>(args.packed + layout.zeros_at)
                                    : nullptr,
                                static_cast<const T*>(args.bias),
                                static_cast<T*>(args.y),
                                splits == 1 ? nullptr : reinterpret_cast<float*>(args.workspace + partials_at),
                                splits == 1 ? nullptr : reinterpret_cast<unsigned*>(args.workspace),
                                static_cast<int>(p.m),
                                static_cast<int>(p.n),
                                static_cast<int>(p.k),
                                static_cast<int>(layout.row_tiles),
                                static_cast<int>(layout.k_tiles),
                                static_cast<int>(layout.blocks),
                                block_shift};
  const core::LaunchShape shape{.grid = dim3(chunks, groups, static_cast<unsigned>(splits)),
                                .block = dim3(kTuning.warps * 32),
                                .programmatic = overlap == Overlap::with_previous};
  const auto go = [&](auto kernel) { core::launch(kernel, shape, stream, pointers); };
  if (p.block_size == 32) {
    go(token_tiles == 1   ? mma_kernel<T, Tuning, 2, 1>
       : token_tiles == 2 ? mma_kernel<T, Tuning, 2, 2>
                          : mma_kernel<T, Tuning, 2, 4>);
  } else {
    go(token_tiles == 1   ? mma_kernel<T, Tuning, 1, 1>
       : token_tiles == 2 ? mma_kernel<T, Tuning, 1, 2>
                          : mma_kernel<T, Tuning, 1, 4>);
  }
}

}  // namespace gonogo::kernels::int4_matmul::cuda
