// Dense matmul with constant row-major weights on a CUDA device, y[m, n] = sum_k x[m, k] * w[n, k] (lm_head): own
// tensor-core kernel for few rows. Weights lie as [n, k]; a model that stores
// [k, n] is transposed once. Row r has the same bits for
// every m.
#pragma once

#include <cstdint>

#include "harness/core/cuda/stream.hpp"
#include "harness/core/dtype.hpp"
#include "harness/core/eligibility.hpp"
#include "harness/core/work.hpp"

namespace gonogo::kernels::matmul::cuda {

struct Problem {
  std::int64_t m = 1;
  std::int64_t n = 0;
  std::int64_t k = 0;
  core::DType type = core::DType::f16;    // of x and w
  core::DType output = core::DType::f32;  // of y: f32 or `type`
};

/// Device pointers, 16-byte aligned.
struct Args {
  const void* x = nullptr;  // [m, k]
  const void* w = nullptr;  // [n, k]
  void* y = nullptr;        // [m, n]
};

/// What both ways obey: extents positive and below 2^31, output f32 or the inputs' type.
[[nodiscard]] core::Eligibility eligible(const Problem& problem);
[[nodiscard]] core::Work work(const Problem& problem);

/// float16 or bfloat16; k a multiple of 64. Any m, but meant for m <= 16: the weights are read once per 16 rows.
[[nodiscard]] core::Eligibility mma_eligible(const Problem& problem);
void mma(const Problem& problem, const Args& args, core::StreamRef stream);

}  // namespace gonogo::kernels::matmul::cuda
