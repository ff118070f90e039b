// A block makes, for every query head of its group, the chunk's maximum, sum of exponentials and weighted values.
#include "kernels/attention/cuda/split.cuh"

namespace gonogo::kernels::attention::cuda {
namespace {

constexpr int kThreads = 128;
constexpr int kHeadTile = 4;  // query heads that share one read of a key or value

__global__ void __launch_bounds__(kThreads)
    split_f32_kernel(const Pointers<float> p, const Extents e, const Partials partials) {
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const int chunk = static_cast<int>(blockIdx.x);
  const int kv_head = static_cast<int>(blockIdx.y);
  const int row = static_cast<int>(blockIdx.z);
  const int thread = static_cast<int>(threadIdx.x);
  const int last_valid = *p.last_valid;
  const KeyRange range = keys_of(e, last_valid, row);
  const int first = chunk * kChunk;
  if (first >= range.end || first + kChunk <= range.begin) return;  // the combining kernel knows the same

  const int stride = padded_row<float>(e.head_dim);
  const int group_padded = (e.group + kHeadTile - 1) / kHeadTile * kHeadTile;
  float* tile = ptx::dynamic_shared<float>();         // [kChunk][stride]
  float* query = tile + kChunk * stride;              // [group_padded][head_dim]
  float* scores = query + group_padded * e.head_dim;  // [group_padded][kChunk]

  const std::int64_t head_at = static_cast<std::int64_t>(kv_head) * e.capacity * e.head_dim;
  load_tile<float, kChunk, kThreads>(tile, p.keys + head_at, first, range, e.head_dim, thread);
  const std::int64_t query_at = (static_cast<std::int64_t>(row) * e.heads + kv_head * e.group) * e.head_dim;
  for (int i = thread; i < group_padded * e.head_dim; i += kThreads)
    query[i] = i < e.group * e.head_dim ? p.query[query_at + i] : 0.0f;
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
    for (int h = 0; h < kHeadTile; ++h) {
      const float* bias = head + h < e.group ? bias_line(p, e, last_valid, row, kv_head * e.group + head + h) : nullptr;
      scores[(head + h) * kChunk + key] = seen ? score_of(e, dot[h], bias, first + key) : kLowest;
    }
  }
  __syncthreads();  // orders the scores before the softmax, and the key tile's reads before the values overwrite it

  load_tile<float, kChunk, kThreads>(tile, p.values + head_at, first, range, e.head_dim, thread);
  const int lane = thread % 32;
  for (int head = thread / 32; head < e.group; head += kThreads / 32) {
    float* mine = scores + head * kChunk;
    const float maximum = ptx::warp_reduce(fmaxf(mine[lane], mine[lane + 32]), ptx::Max{});
    const float low = weight_of(mine[lane], maximum);
    const float high = weight_of(mine[lane + 32], maximum);
    mine[lane] = low;
    mine[lane + 32] = high;
    const float sum = ptx::warp_reduce(low + high, ptx::Sum{});
    if (lane == 0) partials.stats[partials.at(e, row, kv_head * e.group + head, chunk)] = make_float2(maximum, sum);
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
      const float v0 = tile[key * stride + d];
      const float v1 = tile[key * stride + d + 1];
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
        const std::int64_t at = partials.at(e, row, kv_head * e.group + head + h, chunk) * e.head_dim + d;
        *reinterpret_cast<float2*>(partials.values + at) = make_float2(even[h], odd[h]);
      }
  }
}

}  // namespace

void launch_split_f32(const Problem& p, const Args& args, const Partials& partials, core::StreamRef stream) {
  const Extents extents = extents_of(p);
  const std::size_t group = static_cast<std::size_t>((extents.group + kHeadTile - 1) / kHeadTile * kHeadTile);
  const std::size_t shared = (static_cast<std::size_t>(kChunk * padded_row<float>(extents.head_dim)) +
                              group * (static_cast<std::size_t>(extents.head_dim) + kChunk)) *
                             sizeof(float);
  core::launch(split_f32_kernel,
               {.grid = dim3(static_cast<unsigned>(partials.chunks), static_cast<unsigned>(p.kv_heads),
                             static_cast<unsigned>(p.rows)),
                .block = dim3(kThreads),
                .shared_bytes = shared,
                .programmatic = args.overlap == Overlap::with_previous},
               stream, pointers_of<float>(p, args), extents, partials);
}

}  // namespace gonogo::kernels::attention::cuda
