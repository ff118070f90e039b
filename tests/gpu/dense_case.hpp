// A dense matmul case and its check against sums in double.
#pragma once

#include <vector>

#include "kernels/matmul/cuda/dense.hpp"
#include "tests/gpu/gpu_test.hpp"

namespace gonogo::tests {

struct DenseCase {
  kernels::matmul::cuda::Problem problem;
  std::vector<double> x_values, w_values;  // as stored
  Bytes x, w;
};
[[nodiscard]] DenseCase make_dense_case(const kernels::matmul::cuda::Problem& problem, unsigned seed);

/// Bound: k + 1 operations in any order, each off by 2^-23 of the sum of |x w| (a tensor core may truncate), and the
/// output's rounding. The control turns the sign of the product that weighs most in y[0, 0].
void check_dense(const DenseCase& c, const Bytes& got);

}  // namespace gonogo::tests
