// accuracy_level 4: activations rounded to int8 per block, integer sums, as ONNX Runtime's CPU kernel does.
// Source: measured, docs/onnx-operators.md, "accuracy_level 4"; it agrees with ONNX Runtime 1.30 to about 2e-7 of the
// largest output.
#pragma once

#include <cstddef>

#include "kernels/cpu.hpp"
#include "kernels/int4_matmul/problem.hpp"

namespace gonogo::kernels::int4_matmul {

/// Refuses a group index and float zero points: ONNX Runtime computes those in float32 whatever the level.
[[nodiscard]] core::Eligibility eligible_int8(const Problem& problem);
[[nodiscard]] std::size_t workspace_int8(const Problem& problem, Threads threads);
void run_int8(const Problem& problem, const Args& args, std::byte* workspace, Threads threads);

}  // namespace gonogo::kernels::int4_matmul
