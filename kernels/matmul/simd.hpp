// Vectorised dense matmul. Weights [k, n]: one vector lane per column, k ascending. Weights [n, k]: one vector
// accumulator per output over ascending k, reduced at the end. Register tiles share loads between rows and change no
// row's order.
#pragma once

#include "kernels/matmul/problem.hpp"

namespace gonogo::kernels::matmul {

void run_simd(const Problem& problem, const Args& args, Threads threads);

}  // namespace gonogo::kernels::matmul
