#include "kernels/rope/cuda/rotate.hpp"

#include "harness/core/cuda/launch.cuh"
#include "kernels/ptx/by_type.cuh"
#include "kernels/ptx/pdl.cuh"
#include "kernels/rope/cuda/rotate_head.cuh"

namespace gonogo::kernels::rope::cuda {
namespace {

constexpr int kThreads = 128;

template <class T>
struct Pointers {
  const T* x;
  const T* cos;
  const T* sin;
  const std::int64_t* positions;
  T* y;
};

/// A block per (row, head).
template <class T>
__global__ void __launch_bounds__(kThreads)
    rotate_kernel(const Pointers<T> p, HeadShape shape, int heads, int table_rows) {
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const std::int64_t wanted = p.positions[blockIdx.x];
  const std::int64_t position = wanted < 0 ? 0 : wanted >= table_rows ? table_rows - 1 : wanted;
  const std::int64_t at = (static_cast<std::int64_t>(blockIdx.x) * heads + blockIdx.y) * shape.head_dim;
  const std::int64_t angles = position * (shape.rotary_dim / 2);
  rotate_head(p.x + at, p.y + at, p.cos + angles, p.sin + angles, shape);
}

}  // namespace

void rotate(const RotateProblem& p, const RotateArgs& a, core::StreamRef stream) {
  const HeadShape shape{static_cast<int>(p.head_dim), static_cast<int>(p.rotary_dim), p.interleaved};
  ptx::by_type(p.type, [&](auto zero) {
    using T = decltype(zero);
    const Pointers<T> pointers{static_cast<const T*>(a.x), static_cast<const T*>(a.cos), static_cast<const T*>(a.sin),
                               a.positions, static_cast<T*>(a.y)};
    core::launch(rotate_kernel<T>,
                 {.grid = dim3(static_cast<unsigned>(p.rows), static_cast<unsigned>(p.heads)), .block = dim3(kThreads)},
                 stream, pointers, shape, static_cast<int>(p.heads), static_cast<int>(p.table_rows));
  });
}

}  // namespace gonogo::kernels::rope::cuda
