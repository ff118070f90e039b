// A block per row. Wide rows of whole 16-byte units stay in registers between the passes; others are read again.
#include "kernels/norm/cuda/parts.cuh"

namespace gonogo::kernels::norm::cuda {
namespace {

/// Weights of eight neighbouring elements.
template <class T>
__device__ __forceinline__ void load_weights(const void* from, const Extents& e, int i, float (&to)[8]) {
  if (e.f32_gamma) {
    ptx::load_eight(static_cast<const float*>(from) + i, to);
  } else {
    ptx::load_eight(static_cast<const T*>(from) + i, to);
  }
}

/// A thread keeps kVectors times eight elements.
template <class T, int kThreads, int kVectors>
__global__ void __launch_bounds__(kThreads) registers_kernel(const Pointers<T> p, const Extents e) {
  __shared__ float scratch[kThreads / 32];
  ptx::let_next_grid_start();
  const int row = static_cast<int>(blockIdx.x);
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t row_at = static_cast<std::int64_t>(row) * e.hidden;
  const std::int64_t skip_at = static_cast<std::int64_t>(row % e.skip_rows) * e.hidden;
  float s[kVectors][8] = {};
  float gamma[kVectors][8];  // a weight: fetched while the kernel before drains
#pragma unroll
  for (int vector = 0; vector < kVectors; ++vector)
    if ((vector * kThreads + thread) * 8 < e.hidden)
      load_weights<T>(p.gamma, e, (vector * kThreads + thread) * 8, gamma[vector]);
  ptx::wait_for_previous_grid();
  float total = 0.0f;
#pragma unroll
  for (int vector = 0; vector < kVectors; ++vector) {
    const int i = (vector * kThreads + thread) * 8;
    if (i >= e.hidden) continue;
    ptx::load_eight(p.x + row_at + i, s[vector]);
    float more[8];
    if (p.skip != nullptr) {
      ptx::load_eight(p.skip + skip_at + i, more);
#pragma unroll
      for (int j = 0; j < 8; ++j) s[vector][j] += more[j];
    }
    if (p.bias != nullptr) {
      ptx::load_eight(p.bias + i, more);
#pragma unroll
      for (int j = 0; j < 8; ++j) s[vector][j] += more[j];
    }
    if (p.sum != nullptr) ptx::store_eight(p.sum + row_at + i, s[vector]);
#pragma unroll
    for (int j = 0; j < 8; ++j) total += s[vector][j];
  }
  const float mean =
      e.layer ? ptx::block_reduce<ptx::Sum, kThreads>(total, scratch) / static_cast<float>(e.hidden) : 0.0f;
  float squares = 0.0f;
#pragma unroll
  for (int vector = 0; vector < kVectors; ++vector) {
    if ((vector * kThreads + thread) * 8 >= e.hidden) continue;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      s[vector][j] -= mean;
      squares = fmaf(s[vector][j], s[vector][j], squares);
    }
  }
  const float inverse = inverse_of(e, ptx::block_reduce<ptx::Sum, kThreads>(squares, scratch));
  store_statistics(p, row, mean, inverse);
#pragma unroll
  for (int vector = 0; vector < kVectors; ++vector) {
    const int i = (vector * kThreads + thread) * 8;
    if (i >= e.hidden) continue;
    float beta[8] = {};
    float y[8];
    if (p.beta != nullptr) load_weights<T>(p.beta, e, i, beta);
#pragma unroll
    for (int j = 0; j < 8; ++j) y[j] = scaled<T>(e, s[vector][j], inverse, gamma[vector][j], beta[j]);
    if (e.f32_output) {
      ptx::store_eight(static_cast<float*>(p.y) + row_at + i, y);
    } else {
      ptx::store_eight(static_cast<T*>(p.y) + row_at + i, y);
    }
  }
}

/// Any width. Every thread meets its own elements in all passes, so y and sum may be written over x or skip.
template <class T, int kThreads>
__global__ void __launch_bounds__(kThreads) memory_kernel(const Pointers<T> p, const Extents e) {
  __shared__ float scratch[kThreads / 32];
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const int row = static_cast<int>(blockIdx.x);
  const int thread = static_cast<int>(threadIdx.x);
  float mean = 0.0f;
  if (e.layer) {
    float total = 0.0f;
    for (int i = thread; i < e.hidden; i += kThreads) total += summed(p, e, row, i);
    mean = ptx::block_reduce<ptx::Sum, kThreads>(total, scratch) / static_cast<float>(e.hidden);
  }
  float squares = 0.0f;
  for (int i = thread; i < e.hidden; i += kThreads) {
    const float centred = summed(p, e, row, i) - mean;
    squares = fmaf(centred, centred, squares);
  }
  const float inverse = inverse_of(e, ptx::block_reduce<ptx::Sum, kThreads>(squares, scratch));
  store_statistics(p, row, mean, inverse);
  for (int i = thread; i < e.hidden; i += kThreads) {
    const std::int64_t at = static_cast<std::int64_t>(row) * e.hidden + i;
    const float s = summed(p, e, row, i);
    if (p.sum != nullptr) p.sum[at] = ptx::from_float<T>(s);
    const float beta = p.beta != nullptr ? weight_at<T>(p.beta, e, i) : 0.0f;
    store(p, e, at, scaled<T>(e, s - mean, inverse, weight_at<T>(p.gamma, e, i), beta));
  }
}

bool whole_units(const Problem& p, const Args& a) {
  bool aligned = p.hidden % 8 == 0;
  for (const void* pointer :
       {a.x, a.skip, a.bias, a.gamma, a.beta, static_cast<const void*>(a.y), static_cast<const void*>(a.sum)})
    aligned = aligned && reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0;
  return aligned;
}

}  // namespace

void fused(const Problem& p, const Args& args, core::StreamRef stream) {
  const core::Eligibility answer = eligible(p);
  GONOGO_EXPECT(static_cast<bool>(answer), "an eligible problem: " + to_string(answer.reason()));
  ptx::by_type(p.type, [&](auto zero) {
    using T = decltype(zero);
    const auto go = [&](auto kernel, unsigned threads) {
      core::launch(kernel,
                   {.grid = dim3(static_cast<unsigned>(p.rows)),
                    .block = dim3(threads),
                    .programmatic = args.overlap == Overlap::with_previous},
                   stream, pointers_of<T>(p, args), extents_of(p));
    };
    if (!whole_units(p, args) || p.hidden > 16384) return go(memory_kernel<T, 256>, 256);
    if (p.hidden <= 1024) return go(registers_kernel<T, 128, 1>, 128);
    if (p.hidden <= 4096) return go(registers_kernel<T, 512, 1>, 512);
    if (p.hidden <= 8192) return go(registers_kernel<T, 512, 2>, 512);
    go(registers_kernel<T, 512, 4>, 512);
  });
}

}  // namespace gonogo::kernels::norm::cuda
