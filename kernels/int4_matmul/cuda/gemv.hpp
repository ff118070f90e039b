// The `before` kernel for one row: a warp per output column, weights in ONNX's layout read 16 bytes a lane.
#pragma once

#include "harness/core/cuda/stream.hpp"
#include "kernels/int4_matmul/cuda/problem.hpp"

namespace gonogo::kernels::int4_matmul::cuda {

/// m = 1; else what the family obeys.
[[nodiscard]] core::Eligibility gemv_eligible(const Problem& problem);
/// Needs no workspace.
void gemv(const Problem& problem, const Args& args, core::StreamRef stream);

template <class T>
void launch_gemv(const Problem& problem, const Args& args, core::StreamRef stream);

}  // namespace gonogo::kernels::int4_matmul::cuda
