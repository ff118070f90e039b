// Dense matmul, y[m, n] = sum_k a[m, k] * w[k, n], with float32 activations and float32 or float16 weights read where
// they lie.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "harness/core/dtype.hpp"
#include "harness/core/eligibility.hpp"
#include "harness/core/work.hpp"
#include "kernels/cpu.hpp"

namespace gonogo::kernels::matmul {

struct Problem {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  core::DType weights = core::DType::f32;  // f32 or f16
  bool transposed = false;                 // weights lie as [n, k] in place of [k, n]
};

struct Args {
  const float* a = nullptr;  // [m, k]
  const void* w = nullptr;   // [k, n], or [n, k] when transposed
  float* y = nullptr;        // [m, n]
};

[[nodiscard]] core::Eligibility eligible(const Problem& problem);
/// Weights, a and y once each.
[[nodiscard]] core::Work work(const Problem& problem);

struct Kernel {
  std::string_view name;  // "portable", "simd"
  core::Eligibility (*eligible)(const Problem& problem);
  /// Needs no workspace. Row r has the same bits for every m and every thread count.
  void (*run)(const Problem& problem, const Args& args, Threads threads);
};

[[nodiscard]] std::span<const Kernel> kernels();
/// By name; throws LogicError when there is none.
[[nodiscard]] const Kernel& kernel(std::string_view name);

}  // namespace gonogo::kernels::matmul
