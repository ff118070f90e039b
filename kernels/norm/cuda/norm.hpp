// Root-mean-square normalisation on a CUDA device, plain and with a skip connection:
//   s = x (+ skip (+ bias)),  y = s / sqrt(mean(s^2) + epsilon) * gamma;  statistics and s in float32, outputs rounded
//   once.
// Source: ../shared/research/onnx-models.md 1.4 (SimplifiedLayerNormalization, SkipSimplifiedLayerNormalization).
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/core/cuda/stream.hpp"
#include "harness/core/dtype.hpp"
#include "harness/core/eligibility.hpp"
#include "harness/core/work.hpp"

namespace gonogo::kernels::norm::cuda {

struct Problem {
  std::int64_t rows = 0;
  std::int64_t hidden = 0;
  core::DType type = core::DType::f16;  // of every tensor
  float epsilon = 1e-5f;
  bool skip = false;
  bool skip_bias = false;
  bool sum_output = false;  // s is wanted as well
};

/// Device pointers; absent ones are null. `y` and `sum` may be x or skip.
struct Args {
  const void* x = nullptr;      // [rows, hidden]
  const void* skip = nullptr;   // [rows, hidden]
  const void* bias = nullptr;   // [hidden]
  const void* gamma = nullptr;  // [hidden]
  void* y = nullptr;            // [rows, hidden]
  void* sum = nullptr;          // [rows, hidden]
};

/// float16, bfloat16, float32; rows and hidden positive and below 2^31.
[[nodiscard]] core::Eligibility eligible(const Problem& problem);
[[nodiscard]] core::Work work(const Problem& problem);

/// One pass, no workspace.
void fused(const Problem& problem, const Args& args, core::StreamRef stream);

/// As eager engines did: s goes to a float32 staging buffer and a second kernel scales it. Same result as fused()
/// within rounding.
[[nodiscard]] std::size_t staged_workspace_bytes(const Problem& problem);
void staged(const Problem& problem, const Args& args, std::byte* workspace, core::StreamRef stream);

}  // namespace gonogo::kernels::norm::cuda
