// Dense matmul in double, from exactly the bits a kernel reads, with the error a float32 kernel may make.
#pragma once

#include <vector>

#include "kernels/matmul/problem.hpp"

namespace gonogo::kernels::reference {

struct MatmulExpected {
  std::vector<double> value;  // [m, n]
  /// gamma(k + 1) * sum |a| |w|: a product's rounding and at most k additions, in any order; gamma(i) = i u / (1 - i
  /// u).
  std::vector<double> bound;
};

[[nodiscard]] MatmulExpected matmul(const matmul::Problem& problem, const matmul::Args& args);

}  // namespace gonogo::kernels::reference
