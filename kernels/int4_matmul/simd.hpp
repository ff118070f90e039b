// Vectorised path: weights decoded in registers straight from where they lie, columns spread over threads.
//
// Activations are laid out once per call so that a vector of packed bytes meets them without shuffles: for 4-bit codes,
// the even k of 2 x lanes neighbours, then the odd ones (low nibbles are even k, high nibbles odd k); K tails become
// zeros. Every output is one vector accumulator over ascending k, w = (q - zp) * scale, reduced at the end: the decode
// path (weights in registers) and the panel path (weights dequantised into cache, many rows) run the same operations in
// the same order.
#pragma once

#include <cstddef>

#include "kernels/cpu.hpp"
#include "kernels/int4_matmul/problem.hpp"

namespace gonogo::kernels::int4_matmul {

/// Refuses 2-bit codes and a group index.
[[nodiscard]] core::Eligibility eligible_simd(const Problem& problem);
[[nodiscard]] std::size_t workspace_simd(const Problem& problem, Threads threads);
void run_simd(const Problem& problem, const Args& args, std::byte* workspace, Threads threads);

}  // namespace gonogo::kernels::int4_matmul
