// Tiled attention for several rows: a block takes 16 rows of one query head and walks the keys 32 at a time with a
// running softmax. Sixteen threads share a row; each keeps the dimensions d = its lane, lane + 16, ... of the row's
// output.
#include "kernels/attention/cuda/common.cuh"

namespace gonogo::kernels::attention::cuda {
namespace {

constexpr int kRows = 16;
constexpr int kKeys = 32;
constexpr int kLanes = 16;  // per row
constexpr int kThreads = kRows * kLanes;
constexpr int kMostPerLane = 256 / kLanes;

template <class T>
__global__ void __launch_bounds__(kThreads) tiled_kernel(const Pointers<T> p, const Extents e) {
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % kLanes;
  const int local_row = thread / kLanes;
  const int first_row = static_cast<int>(blockIdx.x) * kRows;
  const int row = first_row + local_row;
  const int head = static_cast<int>(blockIdx.y);
  const int last_valid = *p.last_valid;
  const KeyRange mine = keys_of(e, last_valid, min(row, e.rows - 1));
  // Keys that any of the block's rows sees.
  const KeyRange all{keys_of(e, last_valid, first_row).begin,
                     keys_of(e, last_valid, min(first_row + kRows, e.rows) - 1).end};

  const int stride = padded_row<T>(e.head_dim);
  T* query = ptx::dynamic_shared<T>();                                                         // [kRows][stride]
  T* tile = query + kRows * stride;                                                            // [kKeys][stride]
  float* weights = reinterpret_cast<float*>(tile + kKeys * stride) + local_row * (kKeys + 1);  // [kRows][kKeys + 1]
  for (int i = thread; i < kRows * e.head_dim; i += kThreads) {
    const int r = min(first_row + i / e.head_dim, e.rows - 1);
    query[i / e.head_dim * stride + i % e.head_dim] =
        p.query[(static_cast<std::int64_t>(r) * e.heads + head) * e.head_dim + i % e.head_dim];
  }

  const std::int64_t head_at = static_cast<std::int64_t>(head / e.group) * e.capacity * e.head_dim;
  float value[kMostPerLane] = {};
  const T* bias = bias_line(p, e, last_valid, min(row, e.rows - 1), head);
  const bool sunk = e.smooth || p.sink != nullptr;
  float maximum = sunk ? (p.sink != nullptr ? ptx::to_float(p.sink[head]) : 0.0f) : kLowest;
  float sum = sunk ? 1.0f : 0.0f;
  for (int first = all.begin / kKeys * kKeys; first < all.end; first += kKeys) {
    __syncthreads();  // orders the last tile's reads (and at first the query's stores) before this tile's stores
    load_tile<T, kKeys, kThreads>(tile, p.keys + head_at, first, all, e.head_dim, thread);
    __syncthreads();  // orders the keys before the scores
    float score[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int key = lane + kLanes * i;
      float dot = 0.0f;
      for (int d = 0; d < e.head_dim; d += 8) {
        float q[8];
        float k[8];
        ptx::load_eight(query + local_row * stride + d, q);
        ptx::load_eight(tile + key * stride + d, k);
#pragma unroll
        for (int j = 0; j < 8; ++j) dot = fmaf(q[j], k[j], dot);
      }
      const bool seen = first + key >= mine.begin && first + key < mine.end;
      score[i] = seen ? score_of(e, dot, bias, first + key) : kLowest;
    }
    const float new_maximum = fmaxf(maximum, ptx::warp_reduce<ptx::Max, kLanes>(fmaxf(score[0], score[1])));
    const float shrink = expf(maximum - new_maximum);
    maximum = new_maximum;
    float added = 0.0f;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const float weight = weight_of(score[i], maximum);
      weights[lane + kLanes * i] = weight;
      added += weight;
    }
    sum = fmaf(sum, shrink, ptx::warp_reduce<ptx::Sum, kLanes>(added));
    __syncthreads();  // orders the key tile's reads before the values overwrite it, and the weights before their
                      // readers
    load_tile<T, kKeys, kThreads>(tile, p.values + head_at, first, all, e.head_dim, thread);
    __syncthreads();  // orders the values before the products
#pragma unroll
    for (int i = 0; i < kMostPerLane; ++i) {
      const int d = lane + kLanes * i;
      if (d >= e.head_dim) break;
      float v = value[i] * shrink;
      for (int key = 0; key < kKeys; ++key) v = fmaf(weights[key], ptx::to_float(tile[key * stride + d]), v);
      value[i] = v;
    }
  }
  if (row >= e.rows) return;
#pragma unroll
  for (int i = 0; i < kMostPerLane; ++i) {
    const int d = lane + kLanes * i;
    if (d < e.head_dim)
      p.y[(static_cast<std::int64_t>(row) * e.heads + head) * e.head_dim + d] =
          ptx::from_float<T>(sum == 0.0f ? 0.0f : value[i] / sum);
  }
}

}  // namespace

void tiled(const Problem& p, const Args& args, core::StreamRef stream) {
  expect_eligible(p);
  const Extents extents = extents_of(p);
  ptx::by_type(p.type, [&](auto zero) {
    using T = decltype(zero);
    const std::size_t shared = static_cast<std::size_t>((kRows + kKeys) * padded_row<T>(extents.head_dim)) * sizeof(T) +
                               kRows * (kKeys + 1) * sizeof(float);
    core::launch(tiled_kernel<T>,
                 {.grid = dim3(static_cast<unsigned>((p.rows + kRows - 1) / kRows), static_cast<unsigned>(p.heads)),
                  .block = dim3(kThreads),
                  .shared_bytes = shared,
                  .programmatic = args.overlap == Overlap::with_previous},
                 stream, pointers_of<T>(p, args), extents);
  });
}

}  // namespace gonogo::kernels::attention::cuda
