#include "kernels/rope/cuda/rope_append.hpp"

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
  const T* query;
  const T* key;
  const T* value;
  std::int64_t query_stride, key_stride, value_stride;
  const T* cos;
  const T* sin;
  const std::int32_t* last_valid;
  const std::int64_t* positions;
  T* rotated;
  T* key_cache;
  T* value_cache;
};

struct Extents {
  int rows, heads, kv_heads, capacity;
  Rotation rotation;
};

/// A block per (row, head): first the query heads, then the key heads, then the value heads.
template <class T>
__global__ void __launch_bounds__(kThreads) rope_append_kernel(const Pointers<T> p, const Extents e) {
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const int row = static_cast<int>(blockIdx.x);
  const int unit = static_cast<int>(blockIdx.y);
  const int place = *p.last_valid - e.rows + 1 + row;  // in the cache
  const Rotation& r = e.rotation;
  const std::int64_t at = table_row(p.positions != nullptr ? p.positions[row] : place, r) * (r.rotary_dim / 2);
  const T* cos = p.cos + at;
  const T* sin = p.sin + at;
  if (unit < e.heads) {
    const std::int64_t head_at = static_cast<std::int64_t>(unit) * r.head_dim;
    rotate_head(p.query + row * p.query_stride + head_at,
                p.rotated + static_cast<std::int64_t>(row) * e.heads * r.head_dim + head_at, cos, sin, r);
    return;
  }
  if (place < 0 || place >= e.capacity) return;
  const int head = (unit - e.heads) % e.kv_heads;
  const std::int64_t head_at = static_cast<std::int64_t>(head) * r.head_dim;
  const std::int64_t cache_at = (static_cast<std::int64_t>(head) * e.capacity + place) * r.head_dim;
  if (unit - e.heads < e.kv_heads) {
    rotate_head(p.key + row * p.key_stride + head_at, p.key_cache + cache_at, cos, sin, r);
  } else {
    for (int i = static_cast<int>(threadIdx.x); i < r.head_dim; i += kThreads)
      p.value_cache[cache_at + i] = p.value[row * p.value_stride + head_at + i];
  }
}

}  // namespace

core::Eligibility eligible(const Problem& p) {
  if (p.rows < 1) return core::refuse("rows, at least", 1, p.rows);
  if (p.heads < 1 || p.kv_heads < 1)
    return core::refuse("heads, at least", 1, p.heads < p.kv_heads ? p.heads : p.kv_heads);
  if (p.heads + 2 * p.kv_heads > 65535)
    return core::refuse("query, key and value heads, at most", 65535, p.heads + 2 * p.kv_heads);
  if (p.rotary_dim < 0 || p.rotary_dim % 2 != 0 || p.rotary_dim > p.head_dim)
    return core::refuse("rotary width", "even, 0 to " + std::to_string(p.head_dim), std::to_string(p.rotary_dim));
  if (!core::is_float(p.type))
    return core::refuse("type, one of", "float32, float16, bfloat16", std::string(core::name_of(p.type)));
  return core::accept();
}

void rope_append(const Problem& p, const Args& a, core::StreamRef stream) {
  const core::Eligibility answer = eligible(p);
  GONOGO_EXPECT(static_cast<bool>(answer), "an eligible problem: " + to_string(answer.reason()));
  const Extents extents{
      static_cast<int>(p.rows),
      static_cast<int>(p.heads),
      static_cast<int>(p.kv_heads),
      static_cast<int>(p.capacity),
      {static_cast<int>(p.head_dim), static_cast<int>(p.rotary_dim), p.interleaved, static_cast<int>(p.table_rows)}};
  ptx::by_type(p.type, [&](auto zero) {
    using T = decltype(zero);
    const Pointers<T> pointers{static_cast<const T*>(a.query),
                               static_cast<const T*>(a.key),
                               static_cast<const T*>(a.value),
                               a.query_stride,
                               a.key_stride,
                               a.value_stride,
                               static_cast<const T*>(a.cos),
                               static_cast<const T*>(a.sin),
                               a.last_valid,
                               a.positions,
                               static_cast<T*>(a.rotated),
                               static_cast<T*>(a.key_cache),
                               static_cast<T*>(a.value_cache)};
    core::launch(rope_append_kernel<T>,
                 {.grid = dim3(static_cast<unsigned>(p.rows), static_cast<unsigned>(p.heads + 2 * p.kv_heads)),
                  .block = dim3(kThreads),
                  .programmatic = a.overlap == Overlap::with_previous},
                 stream, pointers, extents);
  });
}

core::Work work(const Problem& p) {
  const auto typed = [&p](std::int64_t count) { return static_cast<std::int64_t>(core::bytes_of(p.type, count)); };
  core::Work work;
  work.weight_bytes = typed(p.rows * p.rotary_dim);
  work.activation_bytes = typed(p.rows * (2 * p.heads + 2 * p.kv_heads) * p.head_dim);
  work.kv_bytes = typed(2 * p.rows * p.kv_heads * p.head_dim);
  work.flops = 3 * p.rows * (p.heads + p.kv_heads) * p.rotary_dim;
  return work;
}

void set_packed_qkv(const Problem& p, const void* qkv, Args& args) {
  const auto* bytes = static_cast<const std::byte*>(qkv);
  args.query = bytes;
  args.key = bytes + core::bytes_of(p.type, p.heads * p.head_dim);
  args.value = bytes + core::bytes_of(p.type, (p.heads + p.kv_heads) * p.head_dim);
  args.query_stride = args.key_stride = args.value_stride = (p.heads + 2 * p.kv_heads) * p.head_dim;
}

}  // namespace gonogo::kernels::rope::cuda
