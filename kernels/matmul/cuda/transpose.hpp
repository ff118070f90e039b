// Dense weights as ONNX stores them, [k, n], turned once into the [n, k] that the kernels read.
#pragma once

#include "harness/core/cuda/stream.hpp"
#include "kernels/matmul/cuda/dense.hpp"

namespace gonogo::kernels::matmul::cuda {

/// `from` [k, n] and `to` [n, k], both of the problem's type, on the device; they must not overlap.
void transpose(const Problem& problem, const void* from, void* to, core::StreamRef stream);

}  // namespace gonogo::kernels::matmul::cuda
