#include "kernels/matmul/portable.hpp"

#include <algorithm>
#include <array>

#include "harness/core/half.hpp"

namespace gonogo::kernels::matmul {
namespace {

constexpr std::int64_t kTile = 64;
using Tile = std::array<float, kTile>;

/// `count` weights from element `at` on as float32: in place, or converted into `buffer`.
const float* read(const Problem& p, const Args& args, std::int64_t at, std::int64_t count, Tile& buffer) {
  if (p.weights == core::DType::f32) return static_cast<const float*>(args.w) + at;
  core::f16_to_f32(static_cast<const std::uint16_t*>(args.w) + at, buffer.data(), static_cast<std::size_t>(count));
  return buffer.data();
}

/// Columns [first, first + count) of every row; weights [k, n].
void columns(const Problem& p, const Args& args, std::int64_t first, std::int64_t count) {
  for (std::int64_t m = 0; m < p.m; ++m) {
    Tile sums{};
    Tile buffer;
    for (std::int64_t k = 0; k < p.k; ++k) {
      const float* w = read(p, args, k * p.n + first, count, buffer);
      const float a = args.a[m * p.k + k];
      for (std::int64_t c = 0; c < count; ++c) sums[static_cast<std::size_t>(c)] += a * w[c];
    }
    std::copy_n(sums.begin(), count, args.y + m * p.n + first);
  }
}

/// The same for weights [n, k]: kTile partial sums over k, added up in pairs.
void columns_transposed(const Problem& p, const Args& args, std::int64_t first, std::int64_t count) {
  for (std::int64_t n = first; n < first + count; ++n)
    for (std::int64_t m = 0; m < p.m; ++m) {
      Tile sums{};
      Tile buffer;
      for (std::int64_t k = 0; k < p.k; k += kTile) {
        const std::int64_t length = std::min(kTile, p.k - k);
        const float* w = read(p, args, n * p.k + k, length, buffer);
        for (std::int64_t i = 0; i < length; ++i) sums[static_cast<std::size_t>(i)] += args.a[m * p.k + k + i] * w[i];
      }
      for (std::size_t half = kTile / 2; half > 0; half /= 2)
        for (std::size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
      args.y[m * p.n + n] = sums[0];
    }
}

}  // namespace

void run_portable(const Problem& p, const Args& args, Threads threads) {
  if (p.m == 0 || p.n == 0) return;
  const std::int64_t tiles = (p.n + kTile - 1) / kTile;
#pragma omp parallel for num_threads(threads.count) schedule(static)
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    const std::int64_t first = tile * kTile;
    const std::int64_t count = std::min(kTile, p.n - first);
    p.transposed ? columns_transposed(p, args, first, count) : columns(p, args, first, count);
  }
}

}  // namespace gonogo::kernels::matmul
