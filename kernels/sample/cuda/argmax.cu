#include "kernels/sample/cuda/argmax.hpp"

#include <algorithm>

#include "harness/core/cuda/launch.cuh"
#include "harness/core/error.hpp"
#include "kernels/ptx/by_type.cuh"
#include "kernels/ptx/number.cuh"
#include "kernels/ptx/pdl.cuh"
#include "kernels/ptx/warp.cuh"

namespace gonogo::kernels::sample::cuda {
namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kPerSlice = 4096;  // logits a block looks at

/// A candidate; `index` is -1 when nothing but NaN was seen.
struct Best {
  float value;
  std::int32_t index;
  std::int32_t non_finite;
  std::int32_t unused;
};

/// The better of two: larger value, then lower index. Counts add up.
__device__ __forceinline__ Best better(const Best& a, const Best& b) {
  const bool second = a.index < 0 || (b.index >= 0 && (b.value > a.value || (b.value == a.value && b.index < a.index)));
  Best best = second ? b : a;
  best.non_finite = a.non_finite + b.non_finite;
  return best;
}

__device__ __forceinline__ Best block_best(Best mine, Best* scratch) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    const Best other{__shfl_xor_sync(ptx::kAllLanes, mine.value, step),
                     __shfl_xor_sync(ptx::kAllLanes, mine.index, step),
                     __shfl_xor_sync(ptx::kAllLanes, mine.non_finite, step), 0};
    mine = better(mine, other);
  }
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = mine;
  __syncthreads();  // orders the warps' candidates before the reads below
  Best best = scratch[0];
#pragma unroll
  for (int i = 1; i < kThreads / 32; ++i) best = better(best, scratch[i]);
  return best;
}

template <class T>
__global__ void __launch_bounds__(kThreads) slice_kernel(const T* logits, Best* bests, std::int64_t vocab) {
  __shared__ Best scratch[kThreads / 32];
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * kPerSlice;
  const std::int64_t end = min(begin + kPerSlice, vocab);
  const T* row = logits + static_cast<std::int64_t>(blockIdx.y) * vocab;
  Best best{0.0f, -1, 0, 0};
  for (std::int64_t i = begin + threadIdx.x; i < end; i += kThreads) {
    const float value = ptx::to_float(row[i]);
    const bool is_nan = value != value;
    best = better(
        best, {value, is_nan ? -1 : static_cast<std::int32_t>(i), is_nan || fabsf(value) > 3.402823466e38f ? 1 : 0, 0});
  }
  best = block_best(best, scratch);
  if (threadIdx.x == 0) bests[static_cast<std::int64_t>(blockIdx.y) * gridDim.x + blockIdx.x] = best;
}

__global__ void __launch_bounds__(kThreads)
    row_kernel(const Best* bests, int slices, std::int64_t* ids, std::int32_t* non_finite) {
  __shared__ Best scratch[kThreads / 32];
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  Best best{0.0f, -1, 0, 0};
  for (int i = static_cast<int>(threadIdx.x); i < slices; i += kThreads)
    best = better(best, bests[static_cast<std::int64_t>(blockIdx.x) * slices + i]);
  best = block_best(best, scratch);
  if (threadIdx.x == 0) {
    ids[blockIdx.x] = best.index < 0 ? 0 : best.index;
    non_finite[blockIdx.x] = best.non_finite;
  }
}

std::int64_t slices_of(const Problem& p) { return (p.vocab + kPerSlice - 1) / kPerSlice; }

}  // namespace

std::size_t workspace_bytes(const Problem& p) { return static_cast<std::size_t>(p.rows * slices_of(p)) * sizeof(Best); }

void argmax(const Problem& p, const Args& args, core::StreamRef stream) {
  GONOGO_EXPECT(p.rows > 0 && p.rows <= 65535 && p.vocab > 0 && p.vocab < (std::int64_t{1} << 31),
                "1 to 65535 rows of 1 to 2^31 - 1 logits");
  GONOGO_EXPECT(args.workspace != nullptr, "a workspace");
  auto* bests = reinterpret_cast<Best*>(args.workspace);
  const auto slices = static_cast<unsigned>(slices_of(p));
  ptx::by_type(p.type, [&](auto zero) {
    using T = decltype(zero);
    core::launch(slice_kernel<T>, {.grid = dim3(slices, static_cast<unsigned>(p.rows)), .block = dim3(kThreads)},
                 stream, static_cast<const T*>(args.logits), bests, p.vocab);
  });
  core::launch(row_kernel, {.grid = dim3(static_cast<unsigned>(p.rows)), .block = dim3(kThreads)}, stream, bests,
               static_cast<int>(slices), args.ids, args.non_finite);
}

core::Work work(const Problem& p) {
  core::Work work;
  work.activation_bytes = static_cast<std::int64_t>(core::bytes_of(p.type, p.rows * p.vocab)) + p.rows * 12;
  work.flops = p.rows * p.vocab;
  return work;
}

}  // namespace gonogo::kernels::sample::cuda
