// Plain C++: a GEMV at m = 1, and at m > 1 tiles of columns dequantised into a workspace it allocates per call.
#pragma once

#include <cstddef>

#include "kernels/cpu.hpp"
#include "kernels/int4_matmul/problem.hpp"

namespace gonogo::kernels::int4_matmul {

void run_portable(const Problem& problem, const Args& args, std::byte* workspace, Threads threads);

}  // namespace gonogo::kernels::int4_matmul
