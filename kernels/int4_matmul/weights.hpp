// Scalar reading of codes, scales and zero points: shared by the portable and the int8 path.
#pragma once

#include <cstdint>

#include "harness/core/half.hpp"
#include "kernels/int4_matmul/problem.hpp"

namespace gonogo::kernels::int4_matmul {

/// Code `offset` of a block: low bits first inside a byte.
[[nodiscard]] inline int code_at(const std::uint8_t* block, std::int64_t offset, int bits) {
  const std::int64_t per_byte = 8 / bits;
  const auto shift = static_cast<int>(offset % per_byte) * bits;
  return (block[offset / per_byte] >> shift) & ((1 << bits) - 1);
}

[[nodiscard]] inline float scale_at(const Problem& p, const Args& args, std::int64_t row, std::int64_t block) {
  const std::int64_t at = row * p.blocks() + block;
  if (p.scales == core::DType::f16) return core::f16_to_f32(static_cast<const std::uint16_t*>(args.scales)[at]);
  return static_cast<const float*>(args.scales)[at];
}

[[nodiscard]] inline float zero_point_at(const Problem& p, const Args& args, std::int64_t row, std::int64_t block) {
  const std::int64_t at = row * p.blocks() + block;
  switch (p.zero_points) {
    case ZeroPoints::packed: {
      const auto* zero_points = static_cast<const std::uint8_t*>(args.zero_points) + row * p.zero_point_row_bytes();
      return static_cast<float>(code_at(zero_points, block, p.bits));
    }
    case ZeroPoints::f32:
      return static_cast<const float*>(args.zero_points)[at];
    case ZeroPoints::f16:
      return core::f16_to_f32(static_cast<const std::uint16_t*>(args.zero_points)[at]);
    case ZeroPoints::none:
      break;
  }
  return static_cast<float>(1 << (p.bits - 1));
}

[[nodiscard]] inline const std::uint8_t* block_at(const Problem& p, const Args& args, std::int64_t row,
                                                  std::int64_t block) {
  return args.codes + (row * p.blocks() + block) * p.block_bytes();
}

}  // namespace gonogo::kernels::int4_matmul
