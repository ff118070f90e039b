// Plain C++ dense matmul: tiles of columns, no workspace.
#pragma once

#include "kernels/matmul/problem.hpp"

namespace gonogo::kernels::matmul {

void run_portable(const Problem& problem, const Args& args, Threads threads);

}  // namespace gonogo::kernels::matmul
