// Normalisations in double, from exactly the bits a kernel reads, with the error a float32 kernel may make.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/norm/norm.hpp"

namespace gonogo::kernels::reference {

struct NormCase {
  norm::Problem problem;
  std::vector<float> x, skip, skip_bias, gamma, beta;  // skip, skip_bias, beta: empty when there is none
  /// Pointers into this case; y, sum, mean and inverse are the caller's.
  [[nodiscard]] norm::Args args() const;
};
/// Layer norms get a beta; `skip` adds a full skip and a bias.
[[nodiscard]] NormCase norm_case(const norm::Problem& problem, bool skip, std::uint64_t seed);

struct NormExpected {
  std::vector<double> value;
  /// Bound per element for a kernel with at least four partial sums, u = 2^-24, g = gamma(width / 4 + 12):
  ///   s = x + skip + bias in float32 (3 u of each magnitude when there is a skip)
  ///   mean: dm = g mean|s| + 2 u |mean| + mean(ds);  variance: dv = (g + 4 u) v + 2 mean(|s - mean| (ds + dm)) + dm^2
  ///   y: |gamma| inv (ds + dm + u |s - mean|) + |y| (dv / (2 (v + eps)) + 6 u) + u |beta|
  std::vector<double> bound;
};
[[nodiscard]] NormExpected norm_expected(const NormCase& input);

}  // namespace gonogo::kernels::reference
