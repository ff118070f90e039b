// Block-quantised matmul, y[m, n] = sum_k a[m, k] * (q[n, k] - zp) * scale + bias[n], as com.microsoft.MatMulNBits lays
// it out. Source: ONNX Runtime ContribOperators.md, MatMulNBits. Weights are read where they lie; nothing is repacked.
#pragma once

#include <cstdint>

#include "harness/core/dtype.hpp"
#include "harness/core/eligibility.hpp"
#include "harness/core/work.hpp"

namespace gonogo::kernels::int4_matmul {

enum class ZeroPoints {
  none,    // 2^(bits-1)
  packed,  // uint8, `bits` each, low bits first, every row padded to a byte
  f32,     // float32, one per block, may be fractional
  f16,     // float16, the same
};

struct Problem {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  int bits = 4;
  std::int64_t block_size = 32;
  core::DType scales = core::DType::f32;  // f32 or f16
  ZeroPoints zero_points = ZeroPoints::none;
  bool group_index = false;  // a block index for each k
  bool bias = false;

  [[nodiscard]] constexpr std::int64_t blocks() const { return (k + block_size - 1) / block_size; }
  [[nodiscard]] constexpr std::int64_t block_bytes() const { return block_size * bits / 8; }
  [[nodiscard]] constexpr std::int64_t zero_point_row_bytes() const { return (blocks() * bits + 7) / 8; }
};

/// Pointers of one call; shapes as Problem says.
struct Args {
  const float* a = nullptr;             // [m, k]
  const std::uint8_t* codes = nullptr;  // [n, blocks, block_bytes]; codes past k may be anything
  const void* scales = nullptr;         // [n, blocks]
  const void* zero_points = nullptr;    // packed: [n, zero_point_row_bytes]; float: [n, blocks]; else null
  const std::int32_t* group = nullptr;  // [k], each in [0, blocks)
  const float* bias = nullptr;          // [n] or null
  float* y = nullptr;                   // [m, n]
};

/// What every path obeys: bits 2, 4, 8; block 16 to 256; no zero points beside a group index; extents not negative.
[[nodiscard]] core::Eligibility eligible(const Problem& problem);

/// Codes, scales and zero points once, activations in and out once, two FLOPs a multiply-add.
[[nodiscard]] core::Work work(const Problem& problem);

}  // namespace gonogo::kernels::int4_matmul
