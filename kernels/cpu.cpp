#include "kernels/cpu.hpp"

#include "kernels/hwy_targets.hpp"  // before Highway: which targets are compiled

#include <hwy/targets.h>
#include <omp.h>

#include <bit>

namespace gonogo::kernels {

int available_threads() { return omp_get_num_procs(); }

std::string simd_target() {
  const auto supported = hwy::SupportedTargets() & HWY_TARGETS;
  // Lower bits are better targets; the dispatcher takes the lowest that was compiled in.
  const auto best = static_cast<std::int64_t>(1) << std::countr_zero(static_cast<std::uint64_t>(supported));
  return hwy::TargetName(best);
}

}  // namespace gonogo::kernels
