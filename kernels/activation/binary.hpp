// Elementwise arithmetic of two operands with NumPy broadcasting.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "harness/core/tensor.hpp"
#include "kernels/cpu.hpp"

namespace gonogo::kernels::activation {

enum class Binary { add, sub, mul, div };

/// The broadcast shape, or nothing when the two do not fit.
[[nodiscard]] std::optional<core::Shape> broadcast(const core::Shape& a, const core::Shape& b);

/// Walks the output with neighbouring dimensions merged; a stride of 0 repeats. The last dimension's strides are 0
/// or 1.
struct BroadcastWalk {
  static constexpr int kMaxRank = 8;
  int rank = 1;
  std::array<std::int64_t, kMaxRank> extent{}, a_stride{}, b_stride{};
};
/// Shapes must fit and have at most kMaxRank dimensions (LogicError otherwise).
[[nodiscard]] BroadcastWalk walk_of(const core::Shape& a, const core::Shape& b);

/// y = a op b, dense in the walk's order. y may be an operand that is not repeated.
/// Integer division truncates; the caller has made sure that no divisor is zero.
template <class T>
void apply(Binary op, const BroadcastWalk& walk, const T* a, const T* b, T* y, Threads threads);

}  // namespace gonogo::kernels::activation
