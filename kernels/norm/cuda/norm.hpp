// RMS and layer normalisation of rows on a CUDA device, plain and with a skip connection:
//   s = x (+ skip (+ bias)),  y = (s - mean) / sqrt(mean((s - mean)^2) + epsilon) * gamma (+ beta)
// with mean = 0 for RMS. Statistics and s in float32, outputs rounded once unless the problem says otherwise.
// Source: docs/onnx-operators.md, "Normalisations".
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/core/cuda/stream.hpp"
#include "harness/core/dtype.hpp"
#include "harness/core/eligibility.hpp"
#include "harness/core/work.hpp"
#include "kernels/overlap.hpp"

namespace gonogo::kernels::norm::cuda {

enum class Kind { rms, layer };

struct Problem {
  std::int64_t rows = 0;
  std::int64_t hidden = 0;
  core::DType type = core::DType::f16;  // of every tensor but those named below
  float epsilon = 1e-5f;
  bool skip = false;
  bool skip_bias = false;
  bool sum_output = false;  // s is wanted as well
  Kind kind = Kind::rms;
  bool beta = false;
  bool round_before_gamma = false;  // RMSNormalization 23: the scaled value is rounded to `type` before gamma
  std::int64_t skip_rows = 0;       // rows of skip, repeated over the rows; 0: rows
  bool f32_gamma = false;           // gamma and beta are float32
  bool f32_output = false;          // y is float32
};

/// Device pointers; absent ones are null. `y` and `sum` may be x, or skip when that is not repeated, of the same type.
struct Args {
  const void* x = nullptr;      // [rows, hidden]
  const void* skip = nullptr;   // [skip_rows, hidden]
  const void* bias = nullptr;   // [hidden]
  const void* gamma = nullptr;  // [hidden]
  void* y = nullptr;            // [rows, hidden]
  void* sum = nullptr;          // [rows, hidden]
  const void* beta = nullptr;   // [hidden]
  float* mean = nullptr;        // [rows] or null; zeros for RMS
  float* inverse = nullptr;     // [rows] 1 / sqrt(...), or null
  Overlap overlap = Overlap::off;
};

/// float16, bfloat16, float32; rows and hidden positive and below 2^31; skip_rows divides rows.
[[nodiscard]] core::Eligibility eligible(const Problem& problem);
[[nodiscard]] core::Work work(const Problem& problem);

/// One kernel, no workspace; rows up to 16384 wide of whole 16-byte units are read once and kept in registers. Row r
/// has the same bits for every number of rows.
void fused(const Problem& problem, const Args& args, core::StreamRef stream);

/// As eager engines did: s goes to a float32 staging buffer and a second kernel scales it. Same result as fused()
/// within rounding. `workspace`: staged_workspace_bytes(), 16-byte aligned.
[[nodiscard]] std::size_t staged_workspace_bytes(const Problem& problem);
void staged(const Problem& problem, const Args& args, std::byte* workspace, core::StreamRef stream);

}  // namespace gonogo::kernels::norm::cuda
