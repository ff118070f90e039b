// What every CPU kernel needs to know about the machine: threads and instruction sets.
#pragma once

#include <string>

namespace gonogo::kernels {

/// How many threads a kernel may use (OpenMP team size); at least 1.
struct Threads {
  int count = 1;
};

/// Threads this process may run on (affinity respected).
[[nodiscard]] int available_threads();

/// The Highway target chosen at run time on this machine, such as "AVX3_ZEN4"; devices[0].simd_target in a run record.
[[nodiscard]] std::string simd_target();

}  // namespace gonogo::kernels
