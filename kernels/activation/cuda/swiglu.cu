#include "kernels/activation/cuda/elementwise.cuh"

namespace gonogo::kernels::activation::cuda {
namespace {

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

}  // namespace

void swiglu(core::DType type, const SwigluArgs& args, core::StreamRef stream) {
  if (args.rows == 0 || args.width == 0) return;
  const bool vectors =
      args.width % 8 == 0 && args.stride % 8 == 0 && aligned(args.gate) && aligned(args.up) && aligned(args.y);
  ptx::by_type(type, [&](auto zero) {
    using T = decltype(zero);
    core::launch(swiglu_kernel<T>, shape_for(args.rows * args.width / (vectors ? 8 : 1), args.overlap), stream,
                 static_cast<const T*>(args.gate), static_cast<const T*>(args.up), static_cast<T*>(args.y), args.rows,
                 args.width, args.stride, vectors);
  });
}

core::Work swiglu_work(core::DType type, std::int64_t rows, std::int64_t width) {
  core::Work work;
  work.activation_bytes = static_cast<std::int64_t>(core::bytes_of(type, 3 * rows * width));
  work.flops = 5 * rows * width;
  return work;
}

}  // namespace gonogo::kernels::activation::cuda
