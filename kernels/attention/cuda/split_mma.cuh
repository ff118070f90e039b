// A chunk's share of split attention on the tensor cores. The 16 rows of a tile are pairs of (query row, query head of
// the group), so that one query row of 16 heads or three of 5 fill it. Four warps take 16 keys each.
//   scores  S[16 pairs, 8 keys]  = Q . K^T   A = queries, B = keys, both straight from memory in 16-byte loads: inside
//           32 dimensions the order of k is free as long as both operands agree, and lane (g, t) takes 8t .. 8t + 7.
//   values  O[16 pairs, 8 dims]  = P . V     A = P, which the scores' accumulators already are; B pairs two keys'
//           values of one dimension. Which dimension is column g of which tile is free: lane (g, t) loads dimensions
//           64 u + 8 g .. + 7 of its keys, and tile j takes the j-th of them.
#pragma once

#include "kernels/attention/cuda/split.cuh"
#include "kernels/ptx/mma.cuh"

namespace gonogo::kernels::attention::cuda {

inline constexpr int kPairs = 16;
inline constexpr int kWarps = kChunk / 16;

__device__ __forceinline__ std::uint32_t word_of(const uint4& v, int i) {
  return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}
/// Element j of two rows side by side.
__device__ __forceinline__ std::uint32_t zip(const uint4& low, const uint4& high, int j) {
  const std::uint32_t a = word_of(low, j / 2);
  const std::uint32_t b = word_of(high, j / 2);
  return j % 2 == 0 ? (a & 0xffffu) | b << 16 : a >> 16 | (b & 0xffff0000u);
}

/// kGroups: 64-dimension groups of a head, 1, 2 or 4.
template <class T, int kGroups>
__global__ void __launch_bounds__(kWarps * 32)
    split_mma_kernel(const Pointers<T> p, const Extents e, const Partials partials) {
  constexpr int kStride = 64 * kGroups + 4;  // floats between pairs of a warp's results
  __shared__ float maxima[kWarps][kPairs];
  __shared__ float sums[kWarps][kPairs];
  float* results = ptx::dynamic_shared<float>();  // [kWarps][kPairs][kStride]

  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int g = lane / 4;
  const int t = lane % 4;
  const int chunk = static_cast<int>(blockIdx.x);
  const int kv_head = static_cast<int>(blockIdx.y);
  const int first_pair = static_cast<int>(blockIdx.z) * kPairs;
  const int pairs = e.rows * e.group;

  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const int last_valid = *p.last_valid;
  // Keys that any row of the tile sees; a pair past the last one counts as the last row.
  const int last_row = min(first_pair + kPairs - 1, pairs - 1) / e.group;
  const KeyRange all{keys_of(e, last_valid, first_pair / e.group).begin, keys_of(e, last_valid, last_row).end};
  const int first_key = chunk * kChunk;
  // The combining kernel knows the same.
  if (first_key >= all.end || first_key + kChunk <= all.begin || all.begin >= all.end) return;

  const std::int64_t head_at = static_cast<std::int64_t>(kv_head) * e.capacity * e.head_dim;
  const int base = first_key + warp * 16;
  // Loads without a branch, so that all are in flight at once: a key or dimension outside reads the nearest one inside.
  // Such a key gets weight 0, such a dimension of the query is 0, and of the values it is not stored; what lies past
  // the valid rows, NaN included, is never read.
  const auto cached = [&](const T* cache, int key, int d) {
    const std::int64_t row = max(all.begin, min(key, all.end - 1));
    return *reinterpret_cast<const uint4*>(cache + head_at + row * e.head_dim + min(d, e.head_dim - 8));
  };
  // The values are needed last: their way from memory starts now, before the scores'.
  constexpr int kLineElements = 128 / static_cast<int>(sizeof(T));
  const int lines = (e.head_dim + kLineElements - 1) / kLineElements;
  for (int i = lane; i < 16 * lines; i += 32) {
    const std::int64_t key = max(all.begin, min(base + i / lines, all.end - 1));
    ptx::prefetch_into_l2(p.values + head_at + key * e.head_dim + i % lines * kLineElements);
  }
  const int mine[2] = {min(first_pair + g, pairs - 1), min(first_pair + g + 8, pairs - 1)};
  int row[2];
  int head[2];
  uint4 q[2][2 * kGroups];
#pragma unroll
  for (int side = 0; side < 2; ++side) {
    row[side] = mine[side] / e.group;
    head[side] = kv_head * e.group + mine[side] % e.group;
    const T* from = p.query + (static_cast<std::int64_t>(row[side]) * e.heads + head[side]) * e.head_dim;
#pragma unroll
    for (int c = 0; c < 2 * kGroups; ++c) {
      const int d = 32 * c + 8 * t;
      q[side][c] = *reinterpret_cast<const uint4*>(from + min(d, e.head_dim - 8));
      if (d >= e.head_dim) q[side][c] = make_uint4(0, 0, 0, 0);
    }
  }
  uint4 k[2][2 * kGroups];
#pragma unroll
  for (int tile = 0; tile < 2; ++tile)
#pragma unroll
    for (int c = 0; c < 2 * kGroups; ++c) k[tile][c] = cached(p.keys, base + 8 * tile + g, 32 * c + 8 * t);
  uint4 v[4][kGroups];
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int u = 0; u < kGroups; ++u) v[i][u] = cached(p.values, base + 2 * t + i % 2 + 8 * (i / 2), 64 * u + 8 * g);

  float score[2][4] = {};  // of keys base + 8 tile + 2 t + i % 2, pair g + 8 (i / 2)
#pragma unroll
  for (int c = 0; c < 2 * kGroups; ++c) {
    const std::uint32_t low[4] = {q[0][c].x, q[1][c].x, q[0][c].y, q[1][c].y};
    const std::uint32_t high[4] = {q[0][c].z, q[1][c].z, q[0][c].w, q[1][c].w};
#pragma unroll
    for (int tile = 0; tile < 2; ++tile) {
      ptx::mma_16x8x16<T>(score[tile], low, k[tile][c].x, k[tile][c].y);
      ptx::mma_16x8x16<T>(score[tile], high, k[tile][c].z, k[tile][c].w);
    }
  }

  float maximum[2];
#pragma unroll
  for (int side = 0; side < 2; ++side) {
    const KeyRange seen = keys_of(e, last_valid, row[side]);
    const T* bias = bias_line(p, e, last_valid, row[side], head[side]);
    maximum[side] = kLowest;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int key = base + 8 * (i / 2) + 2 * t + i % 2;
      float& s = score[i / 2][2 * side + i % 2];
      s = key >= seen.begin && key < seen.end ? score_of(e, s, bias, key) : kLowest;
      maximum[side] = fmaxf(maximum[side], s);
    }
    maximum[side] = ptx::warp_reduce<ptx::Max, 4>(maximum[side]);
    if (t == 0) maxima[warp][g + 8 * side] = maximum[side];
  }
  __syncthreads();           // orders every warp's maxima before the reads below
  std::uint32_t weights[4];  // A: (g, 2t..), (g+8, 2t..), (g, 2t+8..), (g+8, 2t+8..)
#pragma unroll
  for (int side = 0; side < 2; ++side) {
    maximum[side] = maxima[0][g + 8 * side];
#pragma unroll
    for (int w = 1; w < kWarps; ++w) maximum[side] = fmaxf(maximum[side], maxima[w][g + 8 * side]);
    float sum = 0.0f;
#pragma unroll
    for (int tile = 0; tile < 2; ++tile) {
      const std::uint32_t pair = ptx::Pair<T>::make(weight_of(score[tile][2 * side], maximum[side]),
                                                    weight_of(score[tile][2 * side + 1], maximum[side]));
      weights[2 * tile + side] = pair;
      sum += ptx::Pair<T>::low(pair) + ptx::Pair<T>::high(pair);  // of the rounded weights, which the values get
    }
    sum = ptx::warp_reduce<ptx::Sum, 4>(sum);
    if (t == 0) sums[warp][g + 8 * side] = sum;
  }

  float* here = results + warp * kPairs * kStride;
#pragma unroll
  for (int u = 0; u < kGroups; ++u) {
    float value[8][4] = {};  // tile j: pair g + 8 (i / 2), dimension 64 u + 8 (2 t + i % 2) + j
#pragma unroll
    for (int j = 0; j < 8; ++j)
      ptx::mma_16x8x16<T>(value[j], weights, zip(v[0][u], v[1][u], j), zip(v[2][u], v[3][u], j));
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      float* to = here + (g + 8 * (i / 2)) * kStride + 64 * u + 8 * (2 * t + i % 2);
      *reinterpret_cast<float4*>(to) = make_float4(value[0][i], value[1][i], value[2][i], value[3][i]);
      *reinterpret_cast<float4*>(to + 4) = make_float4(value[4][i], value[5][i], value[6][i], value[7][i]);
    }
  }
  __syncthreads();  // orders every warp's sums and values before they are added

  const int quads = e.head_dim / 4;
  for (int item = static_cast<int>(threadIdx.x); item < kPairs * quads; item += kWarps * 32) {
    const int pair = item / quads;
    const int d = item % quads * 4;
    if (first_pair + pair >= pairs) break;
    float4 sum = *reinterpret_cast<const float4*>(results + pair * kStride + d);
#pragma unroll
    for (int w = 1; w < kWarps; ++w) {
      const float4 more = *reinterpret_cast<const float4*>(results + (w * kPairs + pair) * kStride + d);
      sum = make_float4(sum.x + more.x, sum.y + more.y, sum.z + more.z, sum.w + more.w);
    }
    const int r = (first_pair + pair) / e.group;
    const std::int64_t at = partials.at(e, r, kv_head * e.group + (first_pair + pair) % e.group, chunk);
    *reinterpret_cast<float4*>(partials.values + at * e.head_dim + d) = sum;
    if (d != 0) continue;
    float top = maxima[0][pair];
    float total = sums[0][pair];
#pragma unroll
    for (int w = 1; w < kWarps; ++w) {
      top = fmaxf(top, maxima[w][pair]);
      total += sums[w][pair];
    }
    partials.stats[at] = make_float2(top, total);
  }
}

template <class T>
void launch_split_mma(const Problem& p, const Args& args, const Partials& partials, core::StreamRef stream) {
  const std::int64_t tiles = (p.rows * (p.heads / p.kv_heads) + kPairs - 1) / kPairs;
  const auto go = [&](auto kernel, int groups) {
    core::launch(kernel,
                 {.grid = dim3(static_cast<unsigned>(partials.chunks), static_cast<unsigned>(p.kv_heads),
                               static_cast<unsigned>(tiles)),
                  .block = dim3(kWarps * 32),
                  .shared_bytes = static_cast<std::size_t>(kWarps * kPairs * (64 * groups + 4)) * sizeof(float),
                  .programmatic = args.overlap == Overlap::with_previous},
                 stream, pointers_of<T>(p, args), extents_of(p), partials);
  };
  if (p.head_dim <= 64) return go(split_mma_kernel<T, 1>, 1);
  if (p.head_dim <= 128) return go(split_mma_kernel<T, 2>, 2);
  go(split_mma_kernel<T, 4>, 4);
}

}  // namespace gonogo::kernels::attention::cuda
