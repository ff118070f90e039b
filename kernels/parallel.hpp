// Splits a flat range into chunks over the OpenMP team; chunks never share a result, so the count of threads cannot
// change a bit.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu.hpp"

namespace gonogo::kernels {

/// Calls f(begin, end) over [0, count) in pieces of at least `grain`, multiples of it but for the last.
template <class F>
void parallel_chunks(std::int64_t count, std::int64_t grain, Threads threads, F&& f) {
  const std::int64_t pieces = std::min<std::int64_t>(threads.count, (count + grain - 1) / grain);
  if (pieces <= 1) {
    if (count > 0) f(std::int64_t{0}, count);
    return;
  }
  const std::int64_t grains = (count + grain - 1) / grain;
#pragma omp parallel for num_threads(static_cast <int>(pieces)) schedule(static)
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    const std::int64_t begin = grains * piece / pieces * grain;
    const std::int64_t end = std::min(count, grains * (piece + 1) / pieces * grain);
    f(begin, end);
  }
}

}  // namespace gonogo::kernels
