// The families' tables of operators; make_op() and is_supported() search them all.
#pragma once

#include <span>

#include "engine/ops/op.hpp"

namespace gonogo::ops {

[[nodiscard]] std::span<const Registration>
linear_ops();  // MatMulNBits, MatMul, GatherBlockQuantized, Gather, DequantizeLinear
[[nodiscard]] std::span<const Registration> attention_ops();  // GroupQueryAttention, RotaryEmbedding
[[nodiscard]] std::span<const Registration> norm_ops();       // RMS and layer norms, with and without skip
[[nodiscard]] std::span<const Registration> pointwise_ops();  // Add, Mul, Sub, Sigmoid, the Gelu family, Cast...
[[nodiscard]] std::span<const Registration> shape_ops();      // Reshape, Split, Concat, Unsqueeze, Shape, ReduceSum...

}  // namespace gonogo::ops
