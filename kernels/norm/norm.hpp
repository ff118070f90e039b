// RMS and layer normalisation over the last dimension, with and without a residual sum. Sums are float32, vectorised in
// an order fixed by the width, so a row's bits do not depend on how many rows run together.
#pragma once

#include <cstdint>

#include "kernels/cpu.hpp"

namespace gonogo::kernels::norm {

enum class Kind {
  rms,    // x / sqrt(mean(x^2) + eps) * gamma
  layer,  // (x - mean) / sqrt(mean((x - mean)^2) + eps) * gamma + beta
};

/// When the scaled value is rounded to the tensor's type before gamma (ONNX RMSNormalization 23) or only at the end.
enum class Rounding { once, f16_before_gamma };

struct Problem {
  std::int64_t rows = 1;
  std::int64_t width = 1;
  float epsilon = 1e-5f;
  Kind kind = Kind::rms;
  Rounding rounding = Rounding::once;
};

struct Args {
  const float* x = nullptr;     // [rows, width]
  const float* skip = nullptr;  // [skip_rows, width], repeated over the rows; null: none
  std::int64_t skip_rows = 0;
  const float* skip_bias = nullptr;  // [width] added to the sum; null: none
  const float* gamma = nullptr;      // [width]; null: ones
  const float* beta = nullptr;       // [width]; null: zeros
  float* sum = nullptr;              // [rows, width] (x + skip) + skip_bias; may be null; may be y
  float* y = nullptr;                // [rows, width]; may be x
  float* mean = nullptr;             // [rows] or null
  float* inverse = nullptr;          // [rows] 1 / sqrt(...), or null
};

void normalize(const Problem& problem, const Args& args, Threads threads);

}  // namespace gonogo::kernels::norm
