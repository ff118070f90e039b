// Block-quantised matmul in double, from exactly the bits a kernel reads, with the error a float32 kernel may make; and
// seeded problems to try kernels on, for tests and benchmarks alike.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/int4_matmul/problem.hpp"

namespace gonogo::kernels::reference {

struct Expected {
  std::vector<double> value;  // [m, n]
  /// Bound on |kernel - value| per element for a kernel that keeps four or more partial sums: gamma(k / 4 + 12) * sum
  /// |a| |w|. A term passes two roundings for its weight, one for its product, at most ceil(k / 4) additions, the
  /// partial sums' own tree (four for sixteen lanes) and the bias; gamma(i) = i u / (1 - i u), u = 2^-24.
  std::vector<double> bound;
};

[[nodiscard]] Expected int4_matmul(const int4_matmul::Problem& problem, const int4_matmul::Args& args);

/// accuracy_level 4: float32 block quantisation of activations as docs/onnx-operators.md says, integer
/// sums, the rest in double. The bound has one term per block in place of one per k.
[[nodiscard]] Expected int4_matmul_int8(const int4_matmul::Problem& problem, const int4_matmul::Args& args);

/// A problem's data, owned; codes past k are random, scales of both signs, a float zero point is fractional.
struct Int4MatmulCase {
  int4_matmul::Problem problem;
  std::vector<float> a;
  std::vector<std::uint8_t> codes;
  std::vector<std::byte> scales;
  std::vector<std::byte> zero_points;
  std::vector<std::int32_t> group;
  std::vector<float> bias;

  /// Pointers into this case; `y` is the caller's, [m, n].
  [[nodiscard]] int4_matmul::Args args(float* y) const;
};
[[nodiscard]] Int4MatmulCase int4_matmul_case(const int4_matmul::Problem& problem, std::uint64_t seed);

}  // namespace gonogo::kernels::reference
