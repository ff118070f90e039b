// Dense matmul with constant weights on a CUDA device, y[m, n] = sum_k x[m, k] * w[n, k]: own kernels. Weights lie as
// [n, k]; ONNX's MatMul stores [k, n], which tiled() and cuBLASLt read as it lies and transpose() turns once for mma().
// Row r has the same bits for every m.
#pragma once

#include <cstdint>

#include "harness/core/cuda/stream.hpp"
#include "harness/core/dtype.hpp"
#include "harness/core/eligibility.hpp"
#include "harness/core/work.hpp"
#include "kernels/overlap.hpp"

namespace gonogo::kernels::matmul::cuda {

enum class Layout {
  n_k,  // w[n, k], "transposed"
  k_n,  // w[k, n], as ONNX's MatMul has it
};

struct Problem {
  std::int64_t m = 1;
  std::int64_t n = 0;
  std::int64_t k = 0;
  core::DType type = core::DType::f16;    // of x and w
  core::DType output = core::DType::f32;  // of y: f32 or `type`
  Layout layout = Layout::n_k;
};

/// Device pointers, 16-byte aligned.
struct Args {
  const void* x = nullptr;  // [m, k]
  const void* w = nullptr;  // as the layout says
  void* y = nullptr;        // [m, n]
  Overlap overlap = Overlap::off;
};

/// What all ways obey: extents positive and below 2^31, output f32 or the inputs' type.
[[nodiscard]] core::Eligibility eligible(const Problem& problem);
[[nodiscard]] core::Work work(const Problem& problem);

/// float16 or bfloat16; k a multiple of 64; layout n_k. Any m, but meant for m <= 16: the weights are read once per 16
/// rows. No workspace.
[[nodiscard]] core::Eligibility mma_eligible(const Problem& problem);
void mma(const Problem& problem, const Args& args, core::StreamRef stream);

/// The portable kernel: 16x16 tiles on the CUDA cores, any type, shape and layout. No workspace.
[[nodiscard]] core::Eligibility tiled_eligible(const Problem& problem);
void tiled(const Problem& problem, const Args& args, core::StreamRef stream);

}  // namespace gonogo::kernels::matmul::cuda
