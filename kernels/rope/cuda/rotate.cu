#include "kernels/rope/cuda/rotate.hpp"

#include <string>

#include "harness/core/cuda/launch.cuh"
#include "harness/core/error.hpp"
#include "kernels/ptx/by_type.cuh"
#include "kernels/ptx/pdl.cuh"
#include "kernels/rope/cuda/rotate_head.cuh"

namespace gonogo::kernels::rope::cuda {
namespace {

template <class T>
struct Pointers {
  const T* x;
  std::int64_t x_token_stride, x_head_stride;
  const T* cos;
  const T* sin;
  const std::int64_t* positions;
  Positions kind;
  T* y;
  std::int64_t y_token_stride, y_head_stride;
};

/// A block per (token, head).
template <class T>
__global__ void __launch_bounds__(kThreads) rotate_kernel(const Pointers<T> p, const Rotation r) {
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const std::int64_t token = blockIdx.x;
  const std::int64_t head = blockIdx.y;
  const std::int64_t position = p.kind == Positions::each    ? p.positions[token]
                                : p.kind == Positions::start ? p.positions[0] + token
                                                             : token;
  const std::int64_t at = table_row(position, r) * (r.rotary_dim / 2);
  rotate_head(p.x + token * p.x_token_stride + head * p.x_head_stride,
              p.y + token * p.y_token_stride + head * p.y_head_stride, p.cos + at, p.sin + at, r);
}

}  // namespace

core::Eligibility eligible(const RotateProblem& p) {
  if (p.tokens < 1) return core::refuse("tokens, at least", 1, p.tokens);
  if (p.heads < 1 || p.heads > 65535) return core::refuse("heads, 1 to", 65535, p.heads);
  if (p.rotary_dim < 2 || p.rotary_dim % 2 != 0 || p.rotary_dim > p.head_dim)
    return core::refuse("rotary width", "even, 2 to " + std::to_string(p.head_dim), std::to_string(p.rotary_dim));
  if (p.table_rows < 1) return core::refuse("rows of the tables, at least", 1, p.table_rows);
  if (!core::is_float(p.type))
    return core::refuse("type, one of", "float32, float16, bfloat16", std::string(core::name_of(p.type)));
  return core::accept();
}

void rotate(const RotateProblem& p, const RotateArgs& a, core::StreamRef stream) {
  const core::Eligibility answer = eligible(p);
  GONOGO_EXPECT(static_cast<bool>(answer), "an eligible problem: " + to_string(answer.reason()));
  const Rotation rotation{static_cast<int>(p.head_dim), static_cast<int>(p.rotary_dim), p.interleaved,
                          static_cast<int>(p.table_rows)};
  ptx::by_type(p.type, [&](auto zero) {
    using T = decltype(zero);
    const Pointers<T> pointers{static_cast<const T*>(a.x),
                               a.x_token_stride,
                               a.x_head_stride,
                               static_cast<const T*>(a.cos),
                               static_cast<const T*>(a.sin),
                               a.positions,
                               a.kind,
                               static_cast<T*>(a.y),
                               a.y_token_stride,
                               a.y_head_stride};
    core::launch(rotate_kernel<T>,
                 {.grid = dim3(static_cast<unsigned>(p.tokens), static_cast<unsigned>(p.heads)),
                  .block = dim3(kThreads),
                  .programmatic = a.overlap == Overlap::with_previous},
                 stream, pointers, rotation);
  });
}

core::Work work(const RotateProblem& p) {
  const auto typed = [&p](std::int64_t count) { return static_cast<std::int64_t>(core::bytes_of(p.type, count)); };
  core::Work work;
  work.weight_bytes = typed(p.tokens * p.rotary_dim);
  work.activation_bytes = typed(2 * p.tokens * p.heads * p.head_dim);
  work.flops = 3 * p.tokens * p.heads * p.rotary_dim;
  return work;
}

}  // namespace gonogo::kernels::rope::cuda
