#include "kernels/norm/cuda/norm.hpp"

#include <limits>

#include "harness/core/cuda/launch.cuh"
#include "harness/core/error.hpp"
#include "kernels/ptx/by_type.cuh"
#include "kernels/ptx/number.cuh"
#include "kernels/ptx/pdl.cuh"
#include "kernels/ptx/warp.cuh"

namespace gonogo::kernels::norm::cuda {
namespace {

constexpr int kThreads = 256;

template <class T>
struct Pointers {
  const T* x;
  const T* skip;
  const T* bias;
  const T* gamma;
  T* y;
  T* sum;
};

template <class T>
__device__ __forceinline__ float summed(const Pointers<T>& p, std::int64_t row_at, int i) {
  float s = ptx::to_float(p.x[row_at + i]);
  if (p.skip != nullptr) s += ptx::to_float(p.skip[row_at + i]);
  if (p.bias != nullptr) s += ptx::to_float(p.bias[i]);
  return s;
}

/// A block per row. Every thread meets its own elements in both passes, so y and sum may be written over x or skip.
template <class T>
__global__ void __launch_bounds__(kThreads) fused_kernel(const Pointers<T> p, int hidden, float epsilon) {
  __shared__ float scratch[kThreads / 32];
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const std::int64_t row_at = static_cast<std::int64_t>(blockIdx.x) * hidden;
  float squares = 0.0f;
  for (int i = static_cast<int>(threadIdx.x); i < hidden; i += kThreads) {
    const float s = summed(p, row_at, i);
    squares = fmaf(s, s, squares);
  }
  squares = ptx::block_reduce<ptx::Sum, kThreads>(squares, scratch);
  const float inverse = 1.0f / sqrtf(squares / static_cast<float>(hidden) + epsilon);
  for (int i = static_cast<int>(threadIdx.x); i < hidden; i += kThreads) {
    const float s = summed(p, row_at, i);
    if (p.sum != nullptr) p.sum[row_at + i] = ptx::from_float<T>(s);
    p.y[row_at + i] = ptx::from_float<T>(s * inverse * ptx::to_float(p.gamma[i]));
  }
}

/// First of two: s to staging, the inverse root mean square of the row behind it.
template <class T>
__global__ void __launch_bounds__(kThreads)
    stage_kernel(const Pointers<T> p, float* staging, float* inverses, int hidden, float epsilon) {
  __shared__ float scratch[kThreads / 32];
  const std::int64_t row_at = static_cast<std::int64_t>(blockIdx.x) * hidden;
  float squares = 0.0f;
  for (int i = static_cast<int>(threadIdx.x); i < hidden; i += kThreads) {
    const float s = summed(p, row_at, i);
    staging[row_at + i] = s;
    squares = fmaf(s, s, squares);
  }
  squares = ptx::block_reduce<ptx::Sum, kThreads>(squares, scratch);
  if (threadIdx.x == 0) inverses[blockIdx.x] = 1.0f / sqrtf(squares / static_cast<float>(hidden) + epsilon);
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    scale_kernel(const Pointers<T> p, const float* staging, const float* inverses, int hidden) {
  const std::int64_t row_at = static_cast<std::int64_t>(blockIdx.x) * hidden;
  const float inverse = inverses[blockIdx.x];
  for (int i = static_cast<int>(threadIdx.x); i < hidden; i += kThreads) {
    const float s = staging[row_at + i];
    if (p.sum != nullptr) p.sum[row_at + i] = ptx::from_float<T>(s);
    p.y[row_at + i] = ptx::from_float<T>(s * inverse * ptx::to_float(p.gamma[i]));
  }
}

template <class T>
Pointers<T> pointers_of(const Problem& p, const Args& a) {
  return {static_cast<const T*>(a.x),
          p.skip ? static_cast<const T*>(a.skip) : nullptr,
          p.skip_bias ? static_cast<const T*>(a.bias) : nullptr,
          static_cast<const T*>(a.gamma),
          static_cast<T*>(a.y),
          p.sum_output ? static_cast<T*>(a.sum) : nullptr};
}

void expect_eligible(const Problem& p) {
  const core::Eligibility answer = eligible(p);
  GONOGO_EXPECT(static_cast<bool>(answer), "an eligible problem: " + to_string(answer.reason()));
}

}  // namespace

core::Eligibility eligible(const Problem& p) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (p.rows < 1 || p.rows > kMost) return core::refuse("rows, 1 to", kMost, p.rows);
  if (p.hidden < 1 || p.hidden > kMost) return core::refuse("hidden, 1 to", kMost, p.hidden);
  if (!core::is_float(p.type))
    return core::refuse("type, one of", "float32, float16, bfloat16", std::string(core::name_of(p.type)));
  return core::accept();
}

core::Work work(const Problem& p) {
  const auto typed = [&p](std::int64_t count) { return static_cast<std::int64_t>(core::bytes_of(p.type, count)); };
  core::Work work;
  work.weight_bytes = typed(p.hidden * (1 + (p.skip_bias ? 1 : 0)));
  work.activation_bytes = typed(p.rows * p.hidden * (2 + (p.skip ? 1 : 0) + (p.sum_output ? 1 : 0)));
  work.flops = p.rows * p.hidden * (4 + (p.skip ? 1 : 0) + (p.skip_bias ? 1 : 0));
  return work;
}

void fused(const Problem& p, const Args& args, core::StreamRef stream) {
  expect_eligible(p);
  ptx::by_type(p.type, [&](auto zero) {
    using T = decltype(zero);
    core::launch(fused_kernel<T>, {.grid = dim3(static_cast<unsigned>(p.rows)), .block = dim3(kThreads)}, stream,
                 pointers_of<T>(p, args), static_cast<int>(p.hidden), p.epsilon);
  });
}

std::size_t staged_workspace_bytes(const Problem& p) {
  return static_cast<std::size_t>(p.rows * p.hidden + p.rows) * sizeof(float);
}

void staged(const Problem& p, const Args& args, std::byte* workspace, core::StreamRef stream) {
  expect_eligible(p);
  GONOGO_EXPECT(workspace != nullptr, "a workspace");
  auto* staging = reinterpret_cast<float*>(workspace);
  float* inverses = staging + p.rows * p.hidden;
  ptx::by_type(p.type, [&](auto zero) {
    using T = decltype(zero);
    const core::LaunchShape shape{.grid = dim3(static_cast<unsigned>(p.rows)), .block = dim3(kThreads)};
    core::launch(stage_kernel<T>, shape, stream, pointers_of<T>(p, args), staging, inverses, static_cast<int>(p.hidden),
                 p.epsilon);
    core::launch(scale_kernel<T>, shape, stream, pointers_of<T>(p, args), staging, inverses,
                 static_cast<int>(p.hidden));
  });
}

}  // namespace gonogo::kernels::norm::cuda
