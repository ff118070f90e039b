// Elementwise operations on a CUDA device: computed in float32, rounded once per operation as a graph of single nodes
// would. Counts of 0 launch nothing.
#pragma once

#include <cstdint>

#include "harness/core/cuda/stream.hpp"
#include "harness/core/dtype.hpp"
#include "harness/core/eligibility.hpp"
#include "harness/core/work.hpp"
#include "kernels/overlap.hpp"

namespace gonogo::kernels::activation::cuda {

enum class Unary {
  sigmoid,
  silu,
  relu,
  tanh,
  gelu_erf,    // 0.5 x (1 + erf(x / sqrt 2))
  gelu_tanh,   // 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
  quick_gelu,  // x sigmoid(alpha x)
  exp,
  erf,
};
enum class Binary { add, mul, sub, div };

/// y[i] = f(x[i] + bias[i % period]), i < count. y may be x.
struct UnaryArgs {
  const void* x = nullptr;     // [count]
  const void* bias = nullptr;  // [period] or null
  void* y = nullptr;           // [count]
  std::int64_t count = 0;
  std::int64_t period = 0;  // read with a bias only
  float alpha = 1.0f;       // read by quick_gelu only
  Overlap overlap = Overlap::off;
};
void unary(Unary f, core::DType type, const UnaryArgs& args, core::StreamRef stream);
/// Without bias and with alpha 1.
void unary(Unary f, core::DType type, const void* x, void* y, std::int64_t count, core::StreamRef stream);

/// y[i] = a[i] op b[i % period]: period = count for equal shapes, the row length for a bias, 1 for a scalar. y may be
/// a. Float types, int32 and int64; integer division truncates and gives 0 for a divisor of 0.
struct BinaryArgs {
  const void* a = nullptr;  // [count]
  const void* b = nullptr;  // [period]
  void* y = nullptr;        // [count]
  std::int64_t count = 0;
  std::int64_t period = 0;
  Overlap overlap = Overlap::off;
};
void binary(Binary op, core::DType type, const BinaryArgs& args, core::StreamRef stream);

/// The same under any NumPy broadcast: the output's extents, outermost first, and each operand's strides in elements, 0
/// where it repeats. The output is dense.
struct Broadcast {
  static constexpr int kMaxRank = 8;
  int rank = 1;
  std::int64_t extent[kMaxRank] = {}, a_stride[kMaxRank] = {}, b_stride[kMaxRank] = {};  // read on the device
};
void binary(Binary op, core::DType type, const Broadcast& shape, const BinaryArgs& args, core::StreamRef stream);

/// y[r, i] = silu(gate[r, i]) * up[r, i], rounded once. Rows of gate and up are `stride` elements apart: 2 * width when
/// one matmul made both, with up = gate + width.
struct SwigluArgs {
  const void* gate = nullptr;
  const void* up = nullptr;
  void* y = nullptr;  // [rows, width], dense; may be gate or up when those are dense
  std::int64_t rows = 0;
  std::int64_t width = 0;
  std::int64_t stride = 0;
  Overlap overlap = Overlap::off;
};
void swiglu(core::DType type, const SwigluArgs& args, core::StreamRef stream);

/// to[i] = from[i] under another type: float types rounded to nearest even; int32, int64 and bool as C++ converts them,
/// floats toward zero and clamped to the integer's range (NaN: 0).
[[nodiscard]] core::Eligibility cast_eligible(core::DType from_type, core::DType to_type);
void cast(core::DType from_type, const void* from, core::DType to_type, void* to, std::int64_t count,
          core::StreamRef stream);

/// to[r, i] = from[r, i] for bytes i < width_bytes, with strides in bytes between rows: Split, Concat and Slice along
/// the last dimension.
struct CopyRowsArgs {
  const void* from = nullptr;
  void* to = nullptr;
  std::int64_t rows = 0;
  std::int64_t width_bytes = 0;
  std::int64_t from_stride = 0;
  std::int64_t to_stride = 0;
};
void copy_rows(const CopyRowsArgs& args, core::StreamRef stream);

[[nodiscard]] core::Work swiglu_work(core::DType type, std::int64_t rows, std::int64_t width);

}  // namespace gonogo::kernels::activation::cuda
