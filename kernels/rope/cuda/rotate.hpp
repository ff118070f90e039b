// Rotary embedding by itself on a CUDA device, where a graph rotates before its attention operator.
// Source: ../shared/research/onnx-models.md 1.5.
#pragma once

#include <cstdint>

#include "harness/core/cuda/stream.hpp"
#include "harness/core/dtype.hpp"

namespace gonogo::kernels::rope::cuda {

struct RotateProblem {
  std::int64_t rows = 1;
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t rotary_dim = 0;  // even, at most head_dim; the rest of a head passes through
  bool interleaved = false;
  std::int64_t table_rows = 0;
  core::DType type = core::DType::f16;
};

/// Device pointers.
struct RotateArgs {
  const void* x = nullptr;                  // [rows, heads * head_dim]
  const void* cos = nullptr;                // [table_rows, rotary_dim / 2]
  const void* sin = nullptr;                // the same
  const std::int64_t* positions = nullptr;  // [rows]; outside the tables they are clamped: the host checks first
  void* y = nullptr;                        // as x; may be x
};

void rotate(const RotateProblem& problem, const RotateArgs& args, core::StreamRef stream);

}  // namespace gonogo::kernels::rope::cuda
