// Greedy sampling on a CUDA device: the id of the largest logit per row, and how many logits of the row are not finite.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/core/cuda/stream.hpp"
#include "harness/core/dtype.hpp"
#include "harness/core/work.hpp"

namespace gonogo::kernels::sample::cuda {

struct Problem {
  std::int64_t rows = 0;
  std::int64_t vocab = 0;
  core::DType type = core::DType::f16;
};

struct Args {
  const void* logits = nullptr;        // [rows, vocab]
  std::int64_t* ids = nullptr;         // [rows]; the lowest index wins a tie; NaN never wins; 0 when every logit is NaN
  std::int32_t* non_finite = nullptr;  // [rows], counts of NaN and infinities
  std::byte* workspace = nullptr;      // workspace_bytes(problem), 16-byte aligned
};

[[nodiscard]] std::size_t workspace_bytes(const Problem& problem);
void argmax(const Problem& problem, const Args& args, core::StreamRef stream);
[[nodiscard]] core::Work work(const Problem& problem);

}  // namespace gonogo::kernels::sample::cuda
