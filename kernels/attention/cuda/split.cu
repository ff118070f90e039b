// Split-KV attention: the choice of kernel, and the kernel that combines the chunks of a (row, head) in order.
#include "kernels/attention/cuda/split.cuh"

namespace gonogo::kernels::attention::cuda {
namespace {

constexpr int kThreads = 128;

/// Grid (head, row); a thread keeps one dimension of the output, or two.
template <class T>
__global__ void __launch_bounds__(kThreads)
    combine_kernel(const Pointers<T> p, const Extents e, const Partials partials) {
  ptx::let_next_grid_start();
  const int head = static_cast<int>(blockIdx.x);
  const int row = static_cast<int>(blockIdx.y);
  const bool sunk = e.smooth || p.sink != nullptr;
  const float sink = p.sink != nullptr ? ptx::to_float(p.sink[head]) : 0.0f;  // a weight: no earlier kernel writes it
  ptx::wait_for_previous_grid();
  const KeyRange range = keys_of(e, *p.last_valid, row);
  const int first = range.begin / kChunk;
  const int end = range.begin < range.end ? (range.end + kChunk - 1) / kChunk : first;
  const std::int64_t at = partials.at(e, row, head, 0);
  float maximum = sunk ? sink : kLowest;
#pragma unroll 4
  for (int chunk = first; chunk < end; ++chunk) maximum = fmaxf(maximum, partials.stats[at + chunk].x);
  const float start = sunk ? expf(sink - maximum) : 0.0f;
  for (int d = static_cast<int>(threadIdx.x); d < e.head_dim; d += kThreads) {
    float sum = start;
    float value = 0.0f;
#pragma unroll 4
    for (int chunk = first; chunk < end; ++chunk) {
      const float2 stats = partials.stats[at + chunk];
      const float weight = expf(stats.x - maximum);
      sum = fmaf(stats.y, weight, sum);
      value = fmaf(partials.values[(at + chunk) * e.head_dim + d], weight, value);
    }
    p.y[(static_cast<std::int64_t>(row) * e.heads + head) * e.head_dim + d] =
        ptx::from_float<T>(sum == 0.0f ? 0.0f : value / sum);
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
  auto* values = reinterpret_cast<float*>(args.workspace);
  const std::int64_t parts = p.rows * p.heads * chunks_of(p);
  const Partials partials{values, reinterpret_cast<float2*>(values + parts * p.head_dim),
                          static_cast<int>(chunks_of(p))};
  ptx::by_type(p.type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, float>) {
      launch_split_f32(p, args, partials, stream);
    } else {
      launch_split_mma<T>(p, args, partials, stream);
    }
    core::launch(combine_kernel<T>,
                 {.grid = dim3(static_cast<unsigned>(p.heads), static_cast<unsigned>(p.rows)),
                  .block = dim3(kThreads),
                  .programmatic = args.overlap == Overlap::with_previous},
                 stream, pointers_of<T>(p, args), extents_of(p), partials);
  });
}

}  // namespace gonogo::kernels::attention::cuda
