// What the per-instruction-set code of the vectorised path offers to its driver.
#pragma once

#include <cstdint>

#include "kernels/int4_matmul/problem.hpp"

namespace gonogo::kernels::int4_matmul {

/// Rows above this many go through the panel path.
inline constexpr std::int64_t kDirectRows = 8;
/// Columns handled together; a thread's range of columns starts at a multiple of this.
inline constexpr std::int64_t kColumnTile = 24;

struct SimdCall {
  Problem problem;
  Args args;
  float* split = nullptr;          // [m, padded]: the activations, laid out
  std::int64_t padded = 0;         // blocks * block_size
  std::int64_t panel_columns = 0;  // a multiple of kColumnTile
};

/// A range of columns and the thread's scratch: kColumnTile rows of block scales, as many of zero points, then the
/// panel.
struct ColumnRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  float* scales = nullptr;       // [kColumnTile, blocks]
  float* zero_points = nullptr;  // [kColumnTile, blocks]
  float* panel = nullptr;        // [panel_columns, padded]
};

struct SimdFunctions {
  void (*split_rows)(const SimdCall& call, std::int64_t begin, std::int64_t end);
  void (*direct)(const SimdCall& call, const ColumnRange& columns);
  void (*panel)(const SimdCall& call, const ColumnRange& columns);
};

/// For the best instruction set of this machine.
[[nodiscard]] const SimdFunctions& simd_functions();

}  // namespace gonogo::kernels::int4_matmul
