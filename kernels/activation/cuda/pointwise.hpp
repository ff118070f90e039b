// Elementwise operations on a CUDA device: computed in float32, rounded once per operation as a graph of single nodes
// would.
#pragma once

#include <cstdint>

#include "harness/core/cuda/stream.hpp"
#include "harness/core/dtype.hpp"
#include "harness/core/work.hpp"

namespace gonogo::kernels::activation::cuda {

enum class Unary {
  sigmoid,
  silu,
  relu,
  tanh,
  gelu_erf,   // 0.5 x (1 + erf(x / sqrt 2))
  gelu_tanh,  // 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
};
enum class Binary { add, mul, sub };

/// y[i] = f(x[i]), i < count. y may be x.
void unary(Unary f, core::DType type, const void* x, void* y, std::int64_t count, core::StreamRef stream);

/// y[i] = a[i] op b[i % period]: period = count for equal shapes, the row length for a bias. y may be a.
struct BinaryArgs {
  const void* a = nullptr;  // [count]
  const void* b = nullptr;  // [period]
  void* y = nullptr;        // [count]
  std::int64_t count = 0;
  std::int64_t period = 0;
};
void binary(Binary op, core::DType type, const BinaryArgs& args, core::StreamRef stream);

/// y[r, i] = silu(gate[r, i]) * up[r, i], rounded once. Rows of gate and up are `stride` elements apart: 2 * width when
/// one matmul made both, with up = gate + width.
struct SwigluArgs {
  const void* gate = nullptr;
  const void* up = nullptr;
  void* y = nullptr;  // [rows, width], dense
  std::int64_t rows = 0;
  std::int64_t width = 0;
  std::int64_t stride = 0;
};
void swiglu(core::DType type, const SwigluArgs& args, core::StreamRef stream);

/// to[i] = from[i] under another float type, rounded to nearest even.
void cast(core::DType from_type, const void* from, core::DType to_type, void* to, std::int64_t count,
          core::StreamRef stream);

[[nodiscard]] core::Work swiglu_work(core::DType type, std::int64_t rows, std::int64_t width);

}  // namespace gonogo::kernels::activation::cuda
