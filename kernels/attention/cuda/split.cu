// Split-KV attention. Grid (chunk of 64 keys, KV head, row): a block makes, for every query head of its group, the
// chunk's maximum, sum of exponentials and weighted values; a second kernel combines the chunks of a (row, head) in
// order.
#include <algorithm>

#include "kernels/attention/cuda/common.cuh"

namespace gonogo::kernels::attention::cuda {
namespace {

constexpr int kChunk = 64;
constexpr int kThreads = 128;
constexpr int kHeadTile = 4;  // query heads that share one read of a key or value

struct Partials {
  float* values;  // [row, head, chunk, head_dim], not divided
  float2* stats;  // [row, head, chunk]: maximum and sum
};

template <class T>
__global__ void __launch_bounds__(kThreads)
    split_kernel(const Pointers<T> p, const Extents e, const Partials partials) {
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const int chunk = static_cast<int>(blockIdx.x);
  const int kv_head = static_cast<int>(blockIdx.y);
  const int row = static_cast<int>(blockIdx.z);
  const int thread = static_cast<int>(threadIdx.x);
  const KeyRange range = keys_of(e, *p.last_valid, row);
  const int first = chunk * kChunk;
  if (first >= range.end || first + kChunk <= range.begin) return;  // the combining kernel knows the same

  const int stride = padded_row<T>(e.head_dim);
  const int group_padded = (e.group + kHeadTile - 1) / kHeadTile * kHeadTile;
  T* tile = ptx::dynamic_shared<T>();                               // [kChunk][stride]
  float* query = reinterpret_cast<float*>(tile + kChunk * stride);  // [group_padded][head_dim]
  float* scores = query + group_padded * e.head_dim;                // [group_padded][kChunk]

  const std::int64_t head_at = static_cast<std::int64_t>(kv_head) * e.capacity * e.head_dim;
  load_tile<T, kChunk, kThreads>(tile, p.keys + head_at, first, range, e.head_dim, thread);
  const std::int64_t query_at = (static_cast<std::int64_t>(row) * e.heads + kv_head * e.group) * e.head_dim;
  for (int i = thread; i < group_padded * e.head_dim; i += kThreads)
    query[i] = i < e.group * e.head_dim ? ptx::to_float(p.query[query_at + i]) : 0.0f;
  __syncthreads();  // orders keys and queries before the scores

  for (int item = thread; item < group_padded / kHeadTile * kChunk; item += kThreads) {
    const int key = item % kChunk;
    const int head = item / kChunk * kHeadTile;
    float dot[kHeadTile] = {};
    for (int d = 0; d < e.head_dim; d += 8) {
      float k[8];
      ptx::load_eight(tile + key * stride + d, k);
#pragma unroll
      for (int h = 0; h < kHeadTile; ++h) {
        const float* q = query + (head + h) * e.head_dim + d;
#pragma unroll
        for (int i = 0; i < 8; ++i) dot[h] = fmaf(q[i], k[i], dot[h]);
      }
    }
    const bool seen = first + key >= range.begin && first + key < range.end;
#pragma unroll
    for (int h = 0; h < kHeadTile; ++h) scores[(head + h) * kChunk + key] = seen ? score_of(e, dot[h]) : kLowest;
  }
  __syncthreads();  // orders the scores before the softmax, and the key tile's reads before the values overwrite it

  load_tile<T, kChunk, kThreads>(tile, p.values + head_at, first, range, e.head_dim, thread);
  const std::int64_t chunks = gridDim.x;
  const int lane = thread % 32;
  for (int head = thread / 32; head < e.group; head += kThreads / 32) {
    float* mine = scores + head * kChunk;
    const float maximum = ptx::warp_reduce(fmaxf(mine[lane], mine[lane + 32]), ptx::Max{});
    const float low = !(mine[lane] <= kLowest) ? expf(mine[lane] - maximum) : 0.0f;
    const float high = !(mine[lane + 32] <= kLowest) ? expf(mine[lane + 32] - maximum) : 0.0f;
    mine[lane] = low;
    mine[lane + 32] = high;
    const float sum = ptx::warp_reduce(low + high, ptx::Sum{});
    if (lane == 0)
      partials.stats[(static_cast<std::int64_t>(row) * e.heads + kv_head * e.group + head) * chunks + chunk] =
          make_float2(maximum, sum);
  }
  for (int i = e.group * kChunk + thread; i < group_padded * kChunk; i += kThreads) scores[i] = 0.0f;
  __syncthreads();  // orders weights and values before the products

  const int pairs = e.head_dim / 2;
  for (int item = thread; item < group_padded / kHeadTile * pairs; item += kThreads) {
    const int d = item % pairs * 2;
    const int head = item / pairs * kHeadTile;
    float even[kHeadTile] = {};
    float odd[kHeadTile] = {};
    for (int key = 0; key < kChunk; ++key) {
      const float v0 = ptx::to_float(tile[key * stride + d]);
      const float v1 = ptx::to_float(tile[key * stride + d + 1]);
#pragma unroll
      for (int h = 0; h < kHeadTile; ++h) {
        const float weight = scores[(head + h) * kChunk + key];
        even[h] = fmaf(weight, v0, even[h]);
        odd[h] = fmaf(weight, v1, odd[h]);
      }
    }
#pragma unroll
    for (int h = 0; h < kHeadTile; ++h)
      if (head + h < e.group) {
        const std::int64_t at =
            ((static_cast<std::int64_t>(row) * e.heads + kv_head * e.group + head + h) * chunks + chunk) * e.head_dim +
            d;
        *reinterpret_cast<float2*>(partials.values + at) = make_float2(even[h], odd[h]);
      }
  }
}

/// Grid (head, row).
template <class T>
__global__ void __launch_bounds__(kThreads)
    combine_kernel(const Pointers<T> p, const Extents e, const Partials partials, int chunks) {
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const int head = static_cast<int>(blockIdx.x);
  const int row = static_cast<int>(blockIdx.y);
  const KeyRange range = keys_of(e, *p.last_valid, row);
  const int first = range.begin / kChunk;
  const int end = (range.end + kChunk - 1) / kChunk;
  const std::int64_t at = (static_cast<std::int64_t>(row) * e.heads + head) * chunks;
  const bool sunk = e.smooth || p.sink != nullptr;
  const float sink = p.sink != nullptr ? ptx::to_float(p.sink[head]) : 0.0f;
  float maximum = sunk ? sink : kLowest;
  for (int chunk = first; chunk < end; ++chunk) maximum = fmaxf(maximum, partials.stats[at + chunk].x);
  float sum = sunk ? expf(sink - maximum) : 0.0f;
  for (int chunk = first; chunk < end; ++chunk) {
    const float2 stats = partials.stats[at + chunk];
    sum = fmaf(stats.y, expf(stats.x - maximum), sum);
  }
  for (int d = static_cast<int>(threadIdx.x); d < e.head_dim; d += kThreads) {
    float value = 0.0f;
    for (int chunk = first; chunk < end; ++chunk)
      value = fmaf(partials.values[(at + chunk) * e.head_dim + d], expf(partials.stats[at + chunk].x - maximum), value);
    p.y[(static_cast<std::int64_t>(row) * e.heads + head) * e.head_dim + d] = ptx::from_float<T>(value / sum);
  }
}

std::int64_t chunks_of(const Problem& p) { return (p.capacity + kChunk - 1) / kChunk; }

}  // namespace

std::size_t split_workspace_bytes(const Problem& p) {
  return static_cast<std::size_t>(p.rows * p.heads * chunks_of(p)) *
         (static_cast<std::size_t>(p.head_dim) * sizeof(float) + sizeof(float2));
}

void split(const Problem& p, const Args& args, core::StreamRef stream) {
  expect_eligible(p);
  GONOGO_EXPECT(args.workspace != nullptr, "a workspace");
  const Extents extents = extents_of(p);
  const auto chunks = static_cast<unsigned>(chunks_of(p));
  auto* values = reinterpret_cast<float*>(args.workspace);
  const Partials partials{values, reinterpret_cast<float2*>(values + p.rows * p.heads * chunks * p.head_dim)};
  ptx::by_type(p.type, [&](auto zero) {
    using T = decltype(zero);
    const std::size_t group = static_cast<std::size_t>((extents.group + kHeadTile - 1) / kHeadTile * kHeadTile);
    const std::size_t shared = static_cast<std::size_t>(kChunk * padded_row<T>(extents.head_dim)) * sizeof(T) +
                               group * (static_cast<std::size_t>(extents.head_dim) + kChunk) * sizeof(float);
    core::launch(split_kernel<T>,
                 {.grid = dim3(chunks, static_cast<unsigned>(p.kv_heads), static_cast<unsigned>(p.rows)),
                  .block = dim3(kThreads),
                  .shared_bytes = shared},
                 stream, pointers_of<T>(p, args), extents, partials);
    core::launch(combine_kernel<T>,
                 {.grid = dim3(static_cast<unsigned>(p.heads), static_cast<unsigned>(p.rows)), .block = dim3(kThreads)},
                 stream, pointers_of<T>(p, args), extents, partials, static_cast<int>(chunks));
  });
}

}  // namespace gonogo::kernels::attention::cuda
