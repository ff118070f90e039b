// What the shape operators share: reading integer inputs, axes, and strided copies. At most kMostRank axes, so that
// running needs no allocation.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/ops/op.hpp"

namespace gonogo::ops {

inline constexpr std::size_t kMostRank = 8;
using Extents = std::array<std::int64_t, kMostRank>;

/// Rejects when the node has fewer or more inputs, or one of the first `least` is absent, or a rank above kMostRank.
void expect_inputs(const NodePlace& place, std::span<const ValueFacts> inputs, std::size_t least, std::size_t most);

/// Values of an int64 input that must be known before running: a constant, or computed from shapes.
[[nodiscard]] std::vector<std::int64_t> known_integers(const NodePlace& place, const ValueFacts& input,
                                                       std::string_view name);
/// The same where int32 is allowed, too.
[[nodiscard]] std::vector<std::int64_t> known_indices(const NodePlace& place, const ValueFacts& input,
                                                      std::string_view name);
/// True when the optional input is there.
[[nodiscard]] bool has_input(std::span<const ValueFacts> inputs, std::size_t index);

/// An axis counted from the front; rejects one outside [-rank, rank).
[[nodiscard]] std::size_t axis_of(const NodePlace& place, std::int64_t axis, std::size_t rank);
/// The same for several; rejects a repeated one. Sorted.
[[nodiscard]] std::vector<std::size_t> axes_of(const NodePlace& place, const std::vector<std::int64_t>& axes,
                                               std::size_t rank);

/// Rejects 4-bit elements, which cannot be addressed one by one.
void expect_whole_bytes(const NodePlace& place, core::DType dtype);

/// Bytes read and written, no arithmetic.
[[nodiscard]] core::Work moved(std::span<const ValueFacts> inputs, std::span<const ValueFacts> outputs);

/// A copy out[i0, i1, ...] = in[offset + i0 * stride0 + ...], strides in elements.
struct StridedCopy {
  std::size_t rank = 0;
  Extents extents{};
  Extents strides{};
  std::int64_t offset = 0;
  std::size_t element_bytes = 0;
};
void run_strided_copy(const StridedCopy& copy, const std::byte* from, std::byte* to);

/// Strides of a dense row-major tensor, in elements.
[[nodiscard]] Extents dense_strides(const core::Shape& shape);

}  // namespace gonogo::ops
