// What the benchmark files of the families share: threads, and the bandwidth that rooflines are held against.
#pragma once

#include "kernels/cpu.hpp"

namespace gonogo::kernels::bench {

/// From --threads; all this process may use by default.
[[nodiscard]] Threads threads();

/// Each family registers its benchmarks; called once after options are read.
void register_memory();
void register_int4_matmul();
void register_attention();
void register_norm();

}  // namespace gonogo::kernels::bench
