// Rows by index: plain copies of any element type, and block-quantised rows dequantised on the way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "harness/core/dtype.hpp"
#include "harness/core/eligibility.hpp"
#include "harness/core/work.hpp"

namespace gonogo::kernels::embedding {

/// int32 or int64 indices; negative ones count from the end.
struct Indices {
  core::DType type = core::DType::i64;  // i32 or i64
  const void* data = nullptr;
  std::int64_t count = 0;

  [[nodiscard]] std::int64_t at(std::int64_t i) const {
    return type == core::DType::i32 ? static_cast<const std::int32_t*>(data)[i]
                                    : static_cast<const std::int64_t*>(data)[i];
  }
  /// The first position whose index lies outside [-extent, extent).
  [[nodiscard]] std::optional<std::int64_t> out_of_range(std::int64_t extent) const;
  /// The index at `i` in [0, extent), negative ones wrapped.
  [[nodiscard]] std::int64_t wrapped(std::int64_t i, std::int64_t extent) const {
    const std::int64_t index = at(i);
    return index < 0 ? index + extent : index;
  }
};

/// data [outer, extent, inner_bytes] -> out [outer, indices.count, inner_bytes]. Indices must be in range.
struct GatherProblem {
  std::int64_t outer = 1;
  std::int64_t extent = 0;
  std::size_t inner_bytes = 0;
};
void gather(const GatherProblem& problem, const std::byte* data, const Indices& indices, std::byte* out);

/// Rows of com.microsoft.GatherBlockQuantized. Source: ONNX Runtime ContribOperators.md; docs/onnx-operators.md.
struct QuantizedRows {
  enum class Storage {
    bytes,  // uint8: `bits` a value, low bits first, a row of whole bytes, zero point 2^(bits-1) when absent
    u4,     // ONNX uint4 tensor, packed flat over rows, zero point 0 when absent
    i4,     // ONNX int4 tensor, the same
  };
  Storage storage = Storage::bytes;
  int bits = 4;
  std::int64_t rows = 0;
  std::int64_t width = 0;                 // values in a row
  std::int64_t block_size = 0;            // a power of two, 16 or more
  core::DType scales = core::DType::f32;  // f32 or f16
  bool zero_points = false;               // stored as the data is; `bytes`: every row padded to a byte

  [[nodiscard]] constexpr std::int64_t blocks() const { return (width + block_size - 1) / block_size; }
};

struct QuantizedRowsArgs {
  const std::uint8_t* data = nullptr;         // [rows, width]
  const void* scales = nullptr;               // [rows, blocks]
  const std::uint8_t* zero_points = nullptr;  // [rows, blocks] or null
  float* out = nullptr;                       // [indices.count, width]
};

[[nodiscard]] core::Eligibility eligible(const QuantizedRows& problem);
/// Rows gathered; the table that is not touched costs nothing.
[[nodiscard]] core::Work work(const QuantizedRows& problem, std::int64_t count);
/// Indices must be in range.
void gather_quantized(const QuantizedRows& problem, const QuantizedRowsArgs& args, const Indices& indices);

}  // namespace gonogo::kernels::embedding
