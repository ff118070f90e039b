// Rows of the rotary tables as float32, for the tokens of one call.
#pragma once

#include "harness/core/half.hpp"
#include "harness/core/scratch.hpp"
#include "kernels/rope/rope.hpp"

namespace gonogo::ops {

/// Tables as the kernel wants them; `positions` index their rows.
struct RotaryTables {
  const float* cos = nullptr;
  const float* sin = nullptr;
};

/// One of the model's tables: [rows, pairs], float32 or float16.
struct TableView {
  core::DType dtype = core::DType::f32;
  const std::byte* data = nullptr;
};

/// Float32 tables are used as they are. Float16 ones may be long, so only the tokens' rows are converted, into
/// `scratch`, and `positions` (already checked) is renumbered to 0, 1, 2...
inline RotaryTables read_tables(const TableView& cos, const TableView& sin, std::int64_t* positions,
                                std::int64_t tokens, std::int64_t pairs, core::Scratch& scratch) {
  if (cos.dtype == core::DType::f32)
    return {reinterpret_cast<const float*>(cos.data), reinterpret_cast<const float*>(sin.data)};
  float* const rows[2] = {scratch.take<float>(tokens * pairs), scratch.take<float>(tokens * pairs)};
  const std::byte* const tables[2] = {cos.data, sin.data};
  for (std::int64_t token = 0; token < tokens; ++token) {
    for (int side = 0; side < 2; ++side)
      core::f16_to_f32(reinterpret_cast<const std::uint16_t*>(tables[side]) + positions[token] * pairs,
                       rows[side] + token * pairs, static_cast<std::size_t>(pairs));
    positions[token] = token;
  }
  return {rows[0], rows[1]};
}

/// Takes from `scratch` what read_tables() would.
inline void count_tables(core::DType type, std::int64_t tokens, std::int64_t pairs, core::Scratch& scratch) {
  if (type == core::DType::f32) return;
  (void)scratch.take<float>(tokens * pairs);
  (void)scratch.take<float>(tokens * pairs);
}

}  // namespace gonogo::ops
