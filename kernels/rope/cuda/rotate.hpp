// Rotary embedding as an operator of its own on a CUDA device: com.microsoft and ai.onnx RotaryEmbedding.
// Source: docs/onnx-operators.md, RotaryEmbedding.
#pragma once

#include <cstdint>

#include "harness/core/cuda/stream.hpp"
#include "harness/core/dtype.hpp"
#include "harness/core/eligibility.hpp"
#include "harness/core/work.hpp"
#include "kernels/overlap.hpp"

namespace gonogo::kernels::rope::cuda {

struct RotateProblem {
  std::int64_t tokens = 1;
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t rotary_dim = 0;  // even, at most head_dim; the rest of a head passes through
  bool interleaved = false;
  std::int64_t table_rows = 0;  // positions in cos and sin
  core::DType type = core::DType::f16;
};

enum class Positions {
  each,   // positions[token]
  start,  // positions[0] + token
  token,  // the tables have a row per token; positions is not read
};

/// Device pointers. Strides in elements.
struct RotateArgs {
  const void* x = nullptr;
  std::int64_t x_token_stride = 0, x_head_stride = 0;
  const void* cos = nullptr;  // [table_rows, rotary_dim / 2]
  const void* sin = nullptr;
  const std::int64_t* positions = nullptr;
  Positions kind = Positions::each;
  void* y = nullptr;  // may be x with the same strides
  std::int64_t y_token_stride = 0, y_head_stride = 0;
  Overlap overlap = Overlap::off;
};

[[nodiscard]] core::Eligibility eligible(const RotateProblem& problem);
/// A position outside the tables is clamped: the host checks first.
void rotate(const RotateProblem& problem, const RotateArgs& args, core::StreamRef stream);
[[nodiscard]] core::Work work(const RotateProblem& problem);

}  // namespace gonogo::kernels::rope::cuda
