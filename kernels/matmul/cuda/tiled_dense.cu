// A block of 16x16 threads makes 16 rows x 16 columns; per step of 32 k it stages activations and weights in shared
// memory as float32, and every thread adds 32 products.
#include "harness/core/cuda/launch.cuh"
#include "harness/core/error.hpp"
#include "kernels/matmul/cuda/dense.hpp"
#include "kernels/ptx/by_type.cuh"
#include "kernels/ptx/number.cuh"
#include "kernels/ptx/pdl.cuh"

namespace gonogo::kernels::matmul::cuda {
namespace {

constexpr int kTile = 16;
constexpr int kTileK = 32;

template <class T>
struct Pointers {
  const T* x;
  const T* w;
  float* y_f32;  // one of the two
  T* y_typed;
  int m, n, k;
};

template <class T, Layout layout>
__global__ void __launch_bounds__(kTile* kTile) tiled_kernel(const Pointers<T> p) {
  // One column of padding: threads of a warp read 16 different rows of `weight` at one k.
  __shared__ float activation[kTile][kTileK + 1];
  __shared__ float weight[kTile][kTileK + 1];
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int row = static_cast<int>(blockIdx.y) * kTile + ty;
  const int first_column = static_cast<int>(blockIdx.x) * kTile;
  float sum = 0.0f;
  for (int k0 = 0; k0 < p.k; k0 += kTileK) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int at = k0 + tx + kTile * i;
      activation[ty][tx + kTile * i] =
          row < p.m && at < p.k ? ptx::to_float(p.x[static_cast<std::int64_t>(row) * p.k + at]) : 0.0f;
      // Neighbouring threads read neighbouring weights in either layout.
      const int column = first_column + (layout == Layout::n_k ? ty : tx);
      const int weight_k = layout == Layout::n_k ? at : k0 + ty + kTile * i;
      const std::int64_t from = layout == Layout::n_k ? static_cast<std::int64_t>(column) * p.k + weight_k
                                                      : static_cast<std::int64_t>(weight_k) * p.n + column;
      weight[column - first_column][weight_k - k0] = column < p.n && weight_k < p.k ? ptx::to_float(p.w[from]) : 0.0f;
    }
    __syncthreads();  // orders the stores above before the reads below
#pragma unroll
    for (int i = 0; i < kTileK; ++i) sum = fmaf(activation[ty][i], weight[tx][i], sum);
    __syncthreads();  // orders the reads before the next step's stores
  }
  const int column = first_column + tx;
  if (row >= p.m || column >= p.n) return;
  const std::int64_t to = static_cast<std::int64_t>(row) * p.n + column;
  if (p.y_f32 != nullptr) {
    p.y_f32[to] = sum;
  } else {
    p.y_typed[to] = ptx::from_float<T>(sum);
  }
}

unsigned tiles_of(std::int64_t extent) { return static_cast<unsigned>((extent + kTile - 1) / kTile); }

}  // namespace

core::Eligibility tiled_eligible(const Problem& p) {
  if (const core::Eligibility family = eligible(p); !family) return family;
  constexpr std::int64_t kMostRows = std::int64_t{65535} * kTile;
  if (p.m > kMostRows) return core::refuse("m, at most", kMostRows, p.m);
  return core::accept();
}

void tiled(const Problem& p, const Args& args, core::StreamRef stream) {
  const core::Eligibility answer = tiled_eligible(p);
  GONOGO_EXPECT(static_cast<bool>(answer), "an eligible problem: " + to_string(answer.reason()));
  const bool f32 = p.output == core::DType::f32;
  ptx::by_type(p.type, [&](auto zero) {
    using T = decltype(zero);
    const Pointers<T> pointers{static_cast<const T*>(args.x),
                               static_cast<const T*>(args.w),
                               f32 ? static_cast<float*>(args.y) : nullptr,
                               f32 ? nullptr : static_cast<T*>(args.y),
                               static_cast<int>(p.m),
                               static_cast<int>(p.n),
                               static_cast<int>(p.k)};
    core::launch(p.layout == Layout::n_k ? tiled_kernel<T, Layout::n_k> : tiled_kernel<T, Layout::k_n>,
                 {.grid = dim3(tiles_of(p.n), tiles_of(p.m)),
                  .block = dim3(kTile, kTile),
                  .programmatic = args.overlap == Overlap::with_previous},
                 stream, pointers);
  });
}

}  // namespace gonogo::kernels::matmul::cuda
