#include "kernels/int4_matmul/portable.hpp"

#include <omp.h>

#include <algorithm>
#include <array>

#include "harness/core/allocation.hpp"
#include "kernels/int4_matmul/weights.hpp"

namespace gonogo::kernels::int4_matmul {
namespace {

constexpr std::int64_t kLanes = 8;  // partial sums; divides every block size
constexpr std::int64_t kPanelColumns = 16;
constexpr std::int64_t kMaxBlock = 256;

/// Partial sums of one output: lane l takes every k with k % kLanes == l, in ascending order, whatever the path.
struct Sum {
  std::array<float, kLanes> lanes{};

  void add(const float* a, const float* w, std::int64_t count) {
    std::int64_t k = 0;
    for (; k + kLanes <= count; k += kLanes)
      for (std::size_t l = 0; l < kLanes; ++l)
        lanes[l] += a[k + static_cast<std::int64_t>(l)] * w[k + static_cast<std::int64_t>(l)];
    for (std::size_t l = 0; k < count; ++k, ++l) lanes[l] += a[k] * w[k];
  }
  [[nodiscard]] float total() const {
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
  }
};

/// Weights of columns' block `block` as float32, at most `count` of them.
void dequantize(const Problem& p, const Args& args, std::int64_t row, std::int64_t block, float* to) {
  const std::int64_t begin = block * p.block_size;
  const std::int64_t count = std::min(p.block_size, p.k - begin);
  const std::uint8_t* codes = block_at(p, args, row, block);
  if (p.group_index) {
    const float zero = zero_point_at(p, args, row, block);
    for (std::int64_t i = 0; i < count; ++i)
      to[i] = (static_cast<float>(code_at(codes, i, p.bits)) - zero) * scale_at(p, args, row, args.group[begin + i]);
    return;
  }
  const float scale = scale_at(p, args, row, block);
  const float zero = zero_point_at(p, args, row, block);
  if (p.bits == 8) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = (static_cast<float>(codes[i]) - zero) * scale;
    return;
  }
  if (p.bits == 4) {
    for (std::int64_t i = 0; i + 2 <= count; i += 2) {
      to[i] = (static_cast<float>(codes[i / 2] & 15) - zero) * scale;
      to[i + 1] = (static_cast<float>(codes[i / 2] >> 4) - zero) * scale;
    }
    if (count % 2 != 0) to[count - 1] = (static_cast<float>(codes[count / 2] & 15) - zero) * scale;
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) to[i] = (static_cast<float>(code_at(codes, i, p.bits)) - zero) * scale;
}

float with_bias(const Args& args, std::int64_t n, float sum) { return args.bias == nullptr ? sum : sum + args.bias[n]; }

void gemv(const Problem& p, const Args& args, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t n = 0; n < p.n; ++n) {
    std::array<float, kMaxBlock> weights;
    Sum sum;
    for (std::int64_t b = 0; b < p.blocks(); ++b) {
      dequantize(p, args, n, b, weights.data());
      sum.add(args.a + b * p.block_size, weights.data(), std::min(p.block_size, p.k - b * p.block_size));
    }
    args.y[n] = with_bias(args, n, sum.total());
  }
}

void gemm(const Problem& p, const Args& args, int threads) {
  const std::int64_t panels = (p.n + kPanelColumns - 1) / kPanelColumns;
  const core::HostBuffer buffer(static_cast<std::size_t>(threads * kPanelColumns * p.k) * sizeof(float));
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t panel = 0; panel < panels; ++panel) {
    float* weights = buffer.as<float>() + omp_get_thread_num() * kPanelColumns * p.k;  // [columns, k]
    const std::int64_t first = panel * kPanelColumns;
    const std::int64_t columns = std::min(kPanelColumns, p.n - first);
    for (std::int64_t c = 0; c < columns; ++c)
      for (std::int64_t b = 0; b < p.blocks(); ++b)
        dequantize(p, args, first + c, b, weights + c * p.k + b * p.block_size);
    for (std::int64_t m = 0; m < p.m; ++m)
      for (std::int64_t c = 0; c < columns; ++c) {
        Sum sum;
        sum.add(args.a + m * p.k, weights + c * p.k, p.k);
        args.y[m * p.n + first + c] = with_bias(args, first + c, sum.total());
      }
  }
}

}  // namespace

void run_portable(const Problem& problem, const Args& args, std::byte*, Threads threads) {
  if (problem.m == 0 || problem.n == 0) return;
  if (problem.m == 1)
    gemv(problem, args, threads.count);
  else
    gemm(problem, args, threads.count);
}

}  // namespace gonogo::kernels::int4_matmul
