#include "kernels/activation/cuda/pointwise.hpp"

#include "harness/core/cuda/launch.cuh"
#include "harness/core/error.hpp"
#include "kernels/ptx/by_type.cuh"
#include "kernels/ptx/number.cuh"
#include "kernels/ptx/pdl.cuh"

namespace gonogo::kernels::activation::cuda {
namespace {

constexpr int kThreads = 256;

__device__ __forceinline__ float silu(float x) { return x / (1.0f + expf(-x)); }

__device__ __forceinline__ float apply(Unary f, float x) {
  switch (f) {
    case Unary::sigmoid:
      return 1.0f / (1.0f + expf(-x));
    case Unary::silu:
      return silu(x);
    case Unary::relu:
      return x > 0.0f || isnan(x) ? x : 0.0f;
    case Unary::tanh:
      return tanhf(x);
    case Unary::gelu_erf:
      return 0.5f * x * (1.0f + erff(x * 0.70710678118654752f));
    case Unary::gelu_tanh:
      return 0.5f * x * (1.0f + tanhf(0.79788456080286536f * (x + 0.044715f * x * x * x)));
  }
  return x;
}

__device__ __forceinline__ std::int64_t thread_index() {
  return static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
}

template <class T>
__global__ void __launch_bounds__(kThreads) unary_kernel(Unary f, const T* x, T* y, std::int64_t count) {
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const std::int64_t i = thread_index();
  if (i < count) y[i] = ptx::from_float<T>(apply(f, ptx::to_float(x[i])));
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    binary_kernel(Binary op, const T* a, const T* b, T* y, std::int64_t count, std::int64_t period) {
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const std::int64_t i = thread_index();
  if (i >= count) return;
  const float left = ptx::to_float(a[i]);
  const float right = ptx::to_float(b[period == count ? i : i % period]);
  y[i] = ptx::from_float<T>(op == Binary::add ? left + right : op == Binary::mul ? left * right : left - right);
}

/// Eight elements a thread where width and stride allow, else one.
template <class T>
__global__ void __launch_bounds__(kThreads) swiglu_kernel(const T* gate, const T* up, T* y, std::int64_t rows,
                                                          std::int64_t width, std::int64_t stride, bool vectors) {
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const std::int64_t unit = vectors ? 8 : 1;
  const std::int64_t first = thread_index() * unit;
  if (first >= rows * width) return;
  const std::int64_t row = first / width;
  const std::int64_t at = row * stride + first % width;
  if (vectors) {
    float g[8];
    float u[8];
    ptx::load_eight(gate + at, g);
    ptx::load_eight(up + at, u);
#pragma unroll
    for (int i = 0; i < 8; ++i) g[i] = silu(g[i]) * u[i];
    ptx::store_eight(y + first, g);
  } else {
    y[first] = ptx::from_float<T>(silu(ptx::to_float(gate[at])) * ptx::to_float(up[at]));
  }
}

template <class From, class To>
__global__ void __launch_bounds__(kThreads) cast_kernel(const From* from, To* to, std::int64_t count) {
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const std::int64_t i = thread_index();
  if (i < count) to[i] = ptx::from_float<To>(ptx::to_float(from[i]));
}

core::LaunchShape shape_for(std::int64_t threads) {
  GONOGO_EXPECT(threads > 0, "at least one element");
  return {.grid = dim3(static_cast<unsigned>((threads + kThreads - 1) / kThreads)), .block = dim3(kThreads)};
}

}  // namespace

void unary(Unary f, core::DType type, const void* x, void* y, std::int64_t count, core::StreamRef stream) {
  ptx::by_type(type, [&](auto zero) {
    using T = decltype(zero);
    core::launch(unary_kernel<T>, shape_for(count), stream, f, static_cast<const T*>(x), static_cast<T*>(y), count);
  });
}

void binary(Binary op, core::DType type, const BinaryArgs& args, core::StreamRef stream) {
  GONOGO_EXPECT(args.period > 0 && args.count % args.period == 0, "a count of whole periods");
  ptx::by_type(type, [&](auto zero) {
    using T = decltype(zero);
    core::launch(binary_kernel<T>, shape_for(args.count), stream, op, static_cast<const T*>(args.a),
                 static_cast<const T*>(args.b), static_cast<T*>(args.y), args.count, args.period);
  });
}

void swiglu(core::DType type, const SwigluArgs& args, core::StreamRef stream) {
  const auto aligned = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
  const bool vectors =
      args.width % 8 == 0 && args.stride % 8 == 0 && aligned(args.gate) && aligned(args.up) && aligned(args.y);
  ptx::by_type(type, [&](auto zero) {
    using T = decltype(zero);
    core::launch(swiglu_kernel<T>, shape_for(args.rows * args.width / (vectors ? 8 : 1)), stream,
                 static_cast<const T*>(args.gate), static_cast<const T*>(args.up), static_cast<T*>(args.y), args.rows,
                 args.width, args.stride, vectors);
  });
}

void cast(core::DType from_type, const void* from, core::DType to_type, void* to, std::int64_t count,
          core::StreamRef stream) {
  ptx::by_type(from_type, [&](auto from_zero) {
    using From = decltype(from_zero);
    ptx::by_type(to_type, [&](auto to_zero) {
      using To = decltype(to_zero);
      core::launch(cast_kernel<From, To>, shape_for(count), stream, static_cast<const From*>(from),
                   static_cast<To*>(to), count);
    });
  });
}

core::Work swiglu_work(core::DType type, std::int64_t rows, std::int64_t width) {
  core::Work work;
  work.activation_bytes = static_cast<std::int64_t>(core::bytes_of(type, 3 * rows * width));
  work.flops = 5 * rows * width;
  return work;
}

}  // namespace gonogo::kernels::activation::cuda
