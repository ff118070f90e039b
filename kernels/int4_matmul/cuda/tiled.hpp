// The `before` kernel for several rows: 16x16 output tiles on the CUDA cores, any shape, no tensor cores.
#pragma once

#include "harness/core/cuda/stream.hpp"
#include "kernels/int4_matmul/cuda/problem.hpp"

namespace gonogo::kernels::int4_matmul::cuda {

/// What the family obeys. Row r has the same bits for every m.
[[nodiscard]] core::Eligibility tiled_eligible(const Problem& problem);
/// Needs no workspace.
void tiled(const Problem& problem, const Args& args, core::StreamRef stream);

template <class T>
void launch_tiled(const Problem& problem, const Args& args, core::StreamRef stream);

}  // namespace gonogo::kernels::int4_matmul::cuda
