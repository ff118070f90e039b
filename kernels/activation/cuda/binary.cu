#include <algorithm>

#include "kernels/activation/cuda/elementwise.cuh"

namespace gonogo::kernels::activation::cuda {
namespace {

/// Numbers an operation computes in: float32 for float types, the type itself for integers.
template <class T>
__device__ __forceinline__ auto read(T value) {
  if constexpr (std::is_integral_v<T>) {
    return value;
  } else {
    return ptx::to_float(value);
  }
}
template <class T, class V>
__device__ __forceinline__ T written(V value) {
  if constexpr (std::is_integral_v<T>) {
    return value;
  } else {
    return ptx::from_float<T>(value);
  }
}

template <class V>
__device__ __forceinline__ V apply(Binary op, V a, V b) {
  if constexpr (std::is_integral_v<V>) {  // overflow wraps
    using U = std::make_unsigned_t<V>;
    switch (op) {
      case Binary::add:
        return static_cast<V>(static_cast<U>(a) + static_cast<U>(b));
      case Binary::mul:
        return static_cast<V>(static_cast<U>(a) * static_cast<U>(b));
      case Binary::sub:
        return static_cast<V>(static_cast<U>(a) - static_cast<U>(b));
      case Binary::div:
        return b == 0 ? V{0} : b == -1 ? static_cast<V>(U{0} - static_cast<U>(a)) : a / b;
    }
  } else {
    switch (op) {
      case Binary::add:
        return a + b;
      case Binary::mul:
        return a * b;
      case Binary::sub:
        return a - b;
      case Binary::div:
        return a / b;
    }
  }
  return a;
}

template <class T>
struct Pointers {
  const T* a;
  const T* b;
  T* y;
  std::int64_t count;
};

template <class T>
__global__ void __launch_bounds__(kThreads) periodic_kernel(Binary op, const Pointers<T> p, std::int64_t period) {
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const std::int64_t i = thread_index();
  if (i >= p.count) return;
  p.y[i] = written<T>(apply(op, read(p.a[i]), read(p.b[period == p.count ? i : i % period])));
}

/// Eight elements a thread: equal shapes, or a period of whole units.
template <class T>
__global__ void __launch_bounds__(kThreads) vector_kernel(Binary op, const Pointers<T> p, std::int64_t period) {
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const std::int64_t i = thread_index() * 8;
  if (i >= p.count) return;
  float a[8];
  float b[8];
  ptx::load_eight(p.a + i, a);
  ptx::load_eight(p.b + (period == p.count ? i : i % period), b);
#pragma unroll
  for (int j = 0; j < 8; ++j) a[j] = apply(op, a[j], b[j]);
  ptx::store_eight(p.y + i, a);
}

template <class T>
__global__ void __launch_bounds__(kThreads) broadcast_kernel(Binary op, const Pointers<T> p, const Broadcast shape) {
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const std::int64_t i = thread_index();
  if (i >= p.count) return;
  std::int64_t rest = i;
  std::int64_t a = 0;
  std::int64_t b = 0;
#pragma unroll
  for (int d = Broadcast::kMaxRank - 1; d >= 0; --d) {
    if (d >= shape.rank) continue;
    const std::int64_t at = rest % shape.extent[d];
    rest /= shape.extent[d];
    a += at * shape.a_stride[d];
    b += at * shape.b_stride[d];
  }
  p.y[i] = written<T>(apply(op, read(p.a[a]), read(p.b[b])));
}

/// f(T{}) for a float type, int32 or int64.
template <class F>
void by_number(core::DType type, F&& f) {
  if (type == core::DType::i32) return f(std::int32_t{});
  if (type == core::DType::i64) return f(std::int64_t{});
  ptx::by_type(type, f);
}

template <class T>
Pointers<T> pointers_of(const BinaryArgs& args, std::int64_t count) {
  return {static_cast<const T*>(args.a), static_cast<const T*>(args.b), static_cast<T*>(args.y), count};
}

/// The period of b when a is dense and b repeats over the outermost dimensions only, else 0.
std::int64_t period_of(const Broadcast& shape) {
  std::int64_t dense = 1;
  std::int64_t period = 1;
  bool repeating = false;
  for (int d = shape.rank - 1; d >= 0; --d) {
    const std::int64_t extent = shape.extent[d];
    if (extent == 1) continue;
    if (shape.a_stride[d] != dense) return 0;
    if (shape.b_stride[d] == 0) {
      repeating = true;
    } else {
      if (repeating || shape.b_stride[d] != dense) return 0;
      period *= extent;
    }
    dense *= extent;
  }
  return period;
}

}  // namespace

void binary(Binary op, core::DType type, const BinaryArgs& args, core::StreamRef stream) {
  if (args.count == 0) return;
  GONOGO_EXPECT(args.period > 0 && args.count % args.period == 0, "a count of whole periods");
  by_number(type, [&](auto zero) {
    using T = decltype(zero);
    const Pointers<T> pointers = pointers_of<T>(args, args.count);
    if constexpr (!std::is_integral_v<T>) {
      if (args.period % 8 == 0 && aligned(args.a) && aligned(args.b) && aligned(args.y))
        return core::launch(vector_kernel<T>, shape_for(args.count / 8, args.overlap), stream, op, pointers,
                            args.period);
    }
    core::launch(periodic_kernel<T>, shape_for(args.count, args.overlap), stream, op, pointers, args.period);
  });
}

void binary(Binary op, core::DType type, const Broadcast& shape, const BinaryArgs& args, core::StreamRef stream) {
  GONOGO_EXPECT(shape.rank >= 1 && shape.rank <= Broadcast::kMaxRank, "1 to 8 dimensions");
  std::int64_t count = 1;
  for (int d = 0; d < shape.rank; ++d) count *= shape.extent[d];
  if (count == 0) return;
  if (const std::int64_t period = period_of(shape); period > 0) {
    BinaryArgs periodic = args;
    periodic.count = count;
    periodic.period = period;
    return binary(op, type, periodic, stream);
  }
  by_number(type, [&](auto zero) {
    using T = decltype(zero);
    core::launch(broadcast_kernel<T>, shape_for(count, args.overlap), stream, op, pointers_of<T>(args, count), shape);
  });
}

}  // namespace gonogo::kernels::activation::cuda
