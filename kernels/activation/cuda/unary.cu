#include "kernels/activation/cuda/elementwise.cuh"

namespace gonogo::kernels::activation::cuda {
namespace {

__device__ __forceinline__ float apply(Unary f, float alpha, float x) {
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
    case Unary::quick_gelu:
      return x / (1.0f + expf(-alpha * x));
    case Unary::exp:
      return expf(x);
    case Unary::erf:
      return erff(x);
  }
  return x;
}

template <class T>
struct Pointers {
  const T* x;
  const T* bias;  // or null
  T* y;
  std::int64_t count, period;
};

template <class T>
__global__ void __launch_bounds__(kThreads) unary_kernel(Unary f, float alpha, const Pointers<T> p) {
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const std::int64_t i = thread_index();
  if (i >= p.count) return;
  float x = ptx::to_float(p.x[i]);
  if (p.bias != nullptr) x += ptx::to_float(p.bias[i % p.period]);
  p.y[i] = ptx::from_float<T>(apply(f, alpha, x));
}

}  // namespace

void unary(Unary f, core::DType type, const UnaryArgs& args, core::StreamRef stream) {
  if (args.count == 0) return;
  GONOGO_EXPECT(args.bias == nullptr || args.period > 0, "a bias of at least one element");
  ptx::by_type(type, [&](auto zero) {
    using T = decltype(zero);
    core::launch(unary_kernel<T>, shape_for(args.count, args.overlap), stream, f, args.alpha,
                 Pointers<T>{static_cast<const T*>(args.x), static_cast<const T*>(args.bias), static_cast<T*>(args.y),
                             args.count, args.period});
  });
}

void unary(Unary f, core::DType type, const void* x, void* y, std::int64_t count, core::StreamRef stream) {
  unary(f, type, UnaryArgs{.x = x, .y = y, .count = count}, stream);
}

}  // namespace gonogo::kernels::activation::cuda
