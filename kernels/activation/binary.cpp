#include "kernels/activation/binary.hpp"

#include <algorithm>
#include <type_traits>

#include "harness/core/error.hpp"
#include "kernels/parallel.hpp"

namespace gonogo::kernels::activation {
namespace {

/// The extent of dimension `d` of an output of `rank`, 1 where the shape is shorter.
std::int64_t extent_at(const core::Shape& shape, std::size_t d, std::size_t rank) {
  return d + shape.size() < rank ? 1 : shape[d + shape.size() - rank];
}

/// Integer arithmetic wraps instead of being undefined.
template <class T, class F>
T wrapped(T a, T b, F f) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(f(static_cast<U>(a), static_cast<U>(b)));
  } else {
    return f(a, b);
  }
}

template <class T, class F>
void run_line(const T* a, std::int64_t a_step, const T* b, std::int64_t b_step, T* y, std::int64_t count, F f) {
  // Constant steps let the compiler vectorise each case.
  if (a_step == 1 && b_step == 1)
    for (std::int64_t i = 0; i < count; ++i) y[i] = f(a[i], b[i]);
  else if (a_step == 1)
    for (std::int64_t i = 0; i < count; ++i) y[i] = f(a[i], *b);
  else
    for (std::int64_t i = 0; i < count; ++i) y[i] = f(*a, b[i * b_step]);
}

template <class T, class F>
void run_walk(const BroadcastWalk& walk, const T* a, const T* b, T* y, Threads threads, F f) {
  const int last = walk.rank - 1;
  const std::int64_t inner = walk.extent[static_cast<std::size_t>(last)];
  std::int64_t lines = 1;
  for (int d = 0; d < last; ++d) lines *= walk.extent[static_cast<std::size_t>(d)];
  const std::int64_t a_step = walk.a_stride[static_cast<std::size_t>(last)],
                     b_step = walk.b_stride[static_cast<std::size_t>(last)];
  constexpr std::int64_t kGrain = 16384;  // below this a thread costs more than it computes
  if (lines == 1) {
    parallel_chunks(inner, kGrain, threads, [&](std::int64_t begin, std::int64_t end) {
      run_line(a + begin * a_step, a_step, b + begin * b_step, b_step, y + begin, end - begin, f);
    });
    return;
  }
  parallel_chunks(lines, std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, inner)), threads,
                  [&](std::int64_t begin, std::int64_t end) {
                    for (std::int64_t line = begin; line < end; ++line) {
                      std::int64_t a_at = 0, b_at = 0, left = line;
                      for (int d = last - 1; d >= 0; --d) {
                        const auto at = static_cast<std::size_t>(d);
                        a_at += left % walk.extent[at] * walk.a_stride[at];
                        b_at += left % walk.extent[at] * walk.b_stride[at];
                        left /= walk.extent[at];
                      }
                      run_line(a + a_at, a_step, b + b_at, b_step, y + line * inner, inner, f);
                    }
                  });
}

}  // namespace

std::optional<core::Shape> broadcast(const core::Shape& a, const core::Shape& b) {
  const std::size_t rank = std::max(a.size(), b.size());
  core::Shape shape(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t left = extent_at(a, d, rank), right = extent_at(b, d, rank);
    if (left != right && left != 1 && right != 1) return std::nullopt;
    shape[d] = left == 1 ? right : left;
  }
  return shape;
}

BroadcastWalk walk_of(const core::Shape& a, const core::Shape& b) {
  const auto shape = broadcast(a, b);
  GONOGO_EXPECT(shape.has_value(), core::to_string(a) + " with " + core::to_string(b));
  GONOGO_EXPECT(shape->size() <= static_cast<std::size_t>(BroadcastWalk::kMaxRank), core::to_string(*shape));
  // From the last dimension to the first: merged with the one after it when both operands go on without a break.
  BroadcastWalk reversed;
  reversed.rank = 0;
  std::int64_t a_stride = 1, b_stride = 1;
  for (std::size_t d = shape->size(); d-- > 0;) {
    const std::int64_t extent = (*shape)[d];
    const std::int64_t left = extent_at(a, d, shape->size()), right = extent_at(b, d, shape->size());
    const std::int64_t a_step = left == 1 ? 0 : a_stride, b_step = right == 1 ? 0 : b_stride;
    a_stride *= left;
    b_stride *= right;
    if (extent == 1) continue;
    if (reversed.rank > 0) {
      const auto at = static_cast<std::size_t>(reversed.rank - 1);
      if (a_step == reversed.a_stride[at] * reversed.extent[at] &&
          b_step == reversed.b_stride[at] * reversed.extent[at]) {
        reversed.extent[at] *= extent;
        continue;
      }
    }
    const auto at = static_cast<std::size_t>(reversed.rank++);
    reversed.extent[at] = extent;
    reversed.a_stride[at] = a_step;
    reversed.b_stride[at] = b_step;
  }
  if (reversed.rank == 0) reversed = {.rank = 1, .extent = {1}, .a_stride = {1}, .b_stride = {1}};
  BroadcastWalk walk = reversed;
  for (int d = 0; d < walk.rank; ++d) {
    const auto to = static_cast<std::size_t>(d), from = static_cast<std::size_t>(walk.rank - 1 - d);
    walk.extent[to] = reversed.extent[from];
    walk.a_stride[to] = reversed.a_stride[from];
    walk.b_stride[to] = reversed.b_stride[from];
  }
  return walk;
}

template <class T>
void apply(Binary op, const BroadcastWalk& walk, const T* a, const T* b, T* y, Threads threads) {
  switch (op) {
    case Binary::add:
      return run_walk(walk, a, b, y, threads,
                      [](T l, T r) { return wrapped(l, r, [](auto left, auto right) { return left + right; }); });
    case Binary::sub:
      return run_walk(walk, a, b, y, threads,
                      [](T l, T r) { return wrapped(l, r, [](auto left, auto right) { return left - right; }); });
    case Binary::mul:
      return run_walk(walk, a, b, y, threads,
                      [](T l, T r) { return wrapped(l, r, [](auto left, auto right) { return left * right; }); });
    case Binary::div:
      return run_walk(walk, a, b, y, threads, [](T l, T r) { return static_cast<T>(l / r); });
  }
}

template void apply<float>(Binary, const BroadcastWalk&, const float*, const float*, float*, Threads);
template void apply<std::int32_t>(Binary, const BroadcastWalk&, const std::int32_t*, const std::int32_t*, std::int32_t*,
                                  Threads);
template void apply<std::int64_t>(Binary, const BroadcastWalk&, const std::int64_t*, const std::int64_t*, std::int64_t*,
                                  Threads);

}  // namespace gonogo::kernels::activation
