// Block-quantised matmul on a CUDA device: the problem and the pointers of one call. Host only.
// y[m, n] = sum_k x[m, k] * (q[n, k] - zero[n, block]) * scale[n, block] + bias[n], accumulated in float32.
// Source: ONNX Runtime ContribOperators.md, MatMulNBits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/core/dtype.hpp"
#include "harness/core/eligibility.hpp"
#include "harness/core/work.hpp"

namespace gonogo::kernels::int4_matmul::cuda {

enum class ZeroPoints {
  none,    // 2^(bits-1)
  packed,  // uint8, `bits` each, low bits first, every row padded to a byte
  typed,   // the activations' type, one per block, may be fractional
};

struct Problem {
  std::int64_t m = 1;
  std::int64_t n = 0;
  std::int64_t k = 0;
  int bits = 4;
  std::int64_t block_size = 32;
  core::DType type = core::DType::f16;  // of x, scales, typed zero points, bias and y
  ZeroPoints zero_points = ZeroPoints::none;
  bool bias = false;

  [[nodiscard]] constexpr std::int64_t blocks() const { return (k + block_size - 1) / block_size; }
  [[nodiscard]] constexpr std::int64_t block_bytes() const { return block_size * bits / 8; }
  [[nodiscard]] constexpr std::int64_t row_bytes() const { return blocks() * block_bytes(); }
  [[nodiscard]] constexpr std::int64_t zero_point_row_bytes() const { return (blocks() * bits + 7) / 8; }
};

/// Device pointers in ONNX's layout; 16-byte aligned.
struct Args {
  const void* x = nullptr;              // [m, k]
  const std::uint8_t* codes = nullptr;  // [n, blocks, block_bytes]; codes past k may be anything
  const void* scales = nullptr;         // [n, blocks]
  const void* zero_points = nullptr;    // packed: [n, zero_point_row_bytes]; typed: [n, blocks]; else null
  const void* bias = nullptr;           // [n] or null
  void* y = nullptr;                    // [m, n]
};

/// What every kernel of the family obeys: bits 4 or 8, block a power of two from 16 to 1024, positive extents below
/// 2^31, float types.
[[nodiscard]] core::Eligibility eligible(const Problem& problem);

/// Codes, scales, zero points and bias once, activations in and out once, two FLOPs a multiply-add.
[[nodiscard]] core::Work work(const Problem& problem);

}  // namespace gonogo::kernels::int4_matmul::cuda
