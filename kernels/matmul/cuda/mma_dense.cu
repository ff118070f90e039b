// Weights are the A operand of m16n8k16, eight tokens the B operand. Inside 32 k the order of k is free as long as both
// operands agree: lane (g, t) takes k = 8t .. 8t + 7 of row g, so that row-major weights and activations are both
// 16-byte loads.
#include "harness/core/cuda/launch.cuh"
#include "harness/core/error.hpp"
#include "kernels/matmul/cuda/dense.hpp"
#include "kernels/ptx/memory.cuh"
#include "kernels/ptx/mma.cuh"
#include "kernels/ptx/pdl.cuh"

namespace gonogo::kernels::matmul::cuda {
namespace {

constexpr int kWarps = 8;  // split k and meet in shared memory in warp order
constexpr int kDepth = 2;  // units in flight per warp
constexpr int kUnitK = 64;
constexpr int kColumnStride = 20;  // floats: the four lanes of a row hit different banks

template <class T>
struct Pointers {
  const T* x;
  const T* w;
  float* y_f32;  // one of the two
  T* y_typed;
  int m, n, k;
};

template <class T, int kTokenTiles>
__global__ void __launch_bounds__(kWarps * 32, 2) dense_kernel(const Pointers<T> p) {
  __shared__ float results[kWarps][kTokenTiles][8 * kColumnStride];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int g = lane / 4;
  const int t = lane % 4;
  const int first_token = static_cast<int>(blockIdx.y) * kTokenTiles * 8;
  const int first_row = static_cast<int>(blockIdx.x) * 16;
  const int units = p.k / kUnitK;
  // Rows past the end read the last one; their results are not stored.
  const T* low = p.w + static_cast<std::int64_t>(min(first_row + g, p.n - 1)) * p.k + 8 * t;
  const T* high = p.w + static_cast<std::int64_t>(min(first_row + g + 8, p.n - 1)) * p.k + 8 * t;

  uint4 ring[kDepth][4];  // row g and g+8 of the unit's two halves
  const auto fetch = [&](uint4(&slot)[4], int unit) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      slot[2 * half] = ptx::load_streamed(reinterpret_cast<const uint4*>(low + unit * kUnitK + half * 32));
      slot[2 * half + 1] = ptx::load_streamed(reinterpret_cast<const uint4*>(high + unit * kUnitK + half * 32));
    }
  };
  float total[kTokenTiles][4] = {};
  const auto multiply = [&](const uint4(&slot)[4], int unit) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const uint4 a = slot[2 * half];
      const uint4 b = slot[2 * half + 1];
      const std::uint32_t first[4] = {a.x, b.x, a.y, b.y};
      const std::uint32_t second[4] = {a.z, b.z, a.w, b.w};
#pragma unroll
      for (int tile = 0; tile < kTokenTiles; ++tile) {
        const int token = first_token + tile * 8 + g;
        uint4 x = make_uint4(0, 0, 0, 0);
        if (token < p.m)
          x = *reinterpret_cast<const uint4*>(p.x + static_cast<std::int64_t>(token) * p.k + unit * kUnitK + half * 32 +
                                              8 * t);
        ptx::mma_16x8x16<T>(total[tile], first, x.x, x.y);
        ptx::mma_16x8x16<T>(total[tile], second, x.z, x.w);
      }
    }
  };

#pragma unroll
  for (int d = 0; d < kDepth; ++d)
    if (warp + d * kWarps < units) fetch(ring[d], warp + d * kWarps);
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  for (int base = warp; base < units; base += kDepth * kWarps) {
#pragma unroll
    for (int d = 0; d < kDepth; ++d) {
      const int unit = base + d * kWarps;
      if (unit < units) {
        const uint4 slot[4] = {ring[d][0], ring[d][1], ring[d][2], ring[d][3]};
        if (unit + kDepth * kWarps < units) fetch(ring[d], unit + kDepth * kWarps);
        multiply(slot, unit);
      }
    }
  }

#pragma unroll
  for (int tile = 0; tile < kTokenTiles; ++tile)
#pragma unroll
    for (int i = 0; i < 4; ++i) results[warp][tile][(2 * t + i % 2) * kColumnStride + g + 8 * (i / 2)] = total[tile][i];
  __syncthreads();  // orders every warp's results before the sums
  for (int element = static_cast<int>(threadIdx.x); element < kTokenTiles * 128; element += kWarps * 32) {
    const int at = element / 16 % 8 * kColumnStride + element % 16;
    float sum = 0.0f;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) sum += results[w][element / 128][at];
    const int row = first_row + element % 16;
    const int token = first_token + element / 16;
    if (row >= p.n || token >= p.m) continue;
    const std::int64_t to = static_cast<std::int64_t>(token) * p.n + row;
    if (p.y_f32 != nullptr) {
      p.y_f32[to] = sum;
    } else {
      p.y_typed[to] = ptx::from_float<T>(sum);
    }
  }
}

template <class T>
void launch_dense(const Problem& p, const Args& args, core::StreamRef stream) {
  const bool f32 = p.output == core::DType::f32;
  const Pointers<T> pointers{static_cast<const T*>(args.x),
                             static_cast<const T*>(args.w),
                             f32 ? static_cast<float*>(args.y) : nullptr,
                             f32 ? nullptr : static_cast<T*>(args.y),
                             static_cast<int>(p.m),
                             static_cast<int>(p.n),
                             static_cast<int>(p.k)};
  const int tokens = p.m <= 8 ? 8 : 16;
  const dim3 grid(static_cast<unsigned>((p.n + 15) / 16), static_cast<unsigned>((p.m + tokens - 1) / tokens));
  core::launch(tokens == 8 ? dense_kernel<T, 1> : dense_kernel<T, 2>,
               {.grid = grid, .block = dim3(kWarps * 32), .programmatic = args.overlap == Overlap::with_previous},
               stream, pointers);
}

}  // namespace

void mma(const Problem& p, const Args& args, core::StreamRef stream) {
  const core::Eligibility answer = mma_eligible(p);
  GONOGO_EXPECT(static_cast<bool>(answer), "an eligible problem: " + to_string(answer.reason()));
  if (p.type == core::DType::f16) return launch_dense<__half>(p, args, stream);
  launch_dense<__nv_bfloat16>(p, args, stream);
}

}  // namespace gonogo::kernels::matmul::cuda
