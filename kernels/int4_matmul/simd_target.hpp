// What the per-instruction-set code of the vectorised path offers to its driver.
#pragma once

#include <cstdint>

#include "kernels/int4_matmul/problem.hpp"

namespace gonogo::kernels::int4_matmul {

/// Rows above this many go through the panel path.
inline constexpr std::int64_t kDirectRows = 8;
/// Columns handled together; a thread's range of columns starts at a multiple of this.
inline constexpr std::int64_t kColumnTile = 24;
/// The panel path goes through weights in stretches of k (a multiple of every block size): a tile of them and of the
/// rows that meet it stays in the first-level cache.
inline constexpr std::int64_t kPanelDepth = 1024;
/// Rows that share a dequantised panel.
inline constexpr std::int64_t kPanelRows = 128;
/// Room for an accumulator vector.
inline constexpr std::int64_t kMaxLanes = 16;

struct SimdCall {
  Problem problem;
  Args args;
  float* split = nullptr;   // [m, padded]: the activations, laid out
  std::int64_t padded = 0;  // blocks * block_size
};

struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// A range of columns and the thread's scratch.
struct ColumnRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  float* scales = nullptr;       // [kColumnTile, blocks]
  float* zero_points = nullptr;  // [kColumnTile, blocks]
  float* panel = nullptr;        // [kColumnTile, kPanelDepth]
  float* sums = nullptr;         // [kPanelRows, kColumnTile, kMaxLanes]: accumulators between two stretches of k
};

struct SimdFunctions {
  void (*split_rows)(const SimdCall& call, std::int64_t begin, std::int64_t end);
  void (*direct)(const SimdCall& call, const ColumnRange& columns);
  void (*panel)(const SimdCall& call, const ColumnRange& columns);
};

/// For the best instruction set of this machine.
[[nodiscard]] const SimdFunctions& simd_functions();

}  // namespace gonogo::kernels::int4_matmul
