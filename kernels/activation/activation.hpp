// Elementwise activations over flat float32 arrays; vectorised, bounds in kernels/simd_math-inl.hpp.
#pragma once

#include <cstdint>

#include "kernels/cpu.hpp"

namespace gonogo::kernels::activation {

enum class Unary {
  exp,
  erf,
  relu,
  sigmoid,
  tanh,
  gelu_erf,    // 0.5 x (1 + erf(x / sqrt 2))
  gelu_tanh,   // 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
  quick_gelu,  // x sigmoid(alpha x); alpha 1 is SiLU
};

/// y[i] = f(x[i]), i < count. `alpha` is read by quick_gelu only. y may be x.
void apply(Unary f, float alpha, const float* x, float* y, std::int64_t count, Threads threads);

/// y[i] = (gate[i] * sigmoid(gate[i])) * up[i], rounded after every operation as Sigmoid, Mul, Mul would. y may be gate
/// or up.
void swiglu(const float* gate, const float* up, float* y, std::int64_t count, Threads threads);

/// The same in double, for tests.
[[nodiscard]] double reference(Unary f, double alpha, double x);

}  // namespace gonogo::kernels::activation
