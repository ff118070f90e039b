// Instruction sets the SIMD kernels are not compiled for, to keep the build short: those that add nothing they use,
// SSE4 (machines without AVX2 run the baseline), and sizeless vectors (SVE, RVV), which cannot be held in arrays of
// accumulators. Include before foreach_target.h.
#pragma once

#include <hwy/detect_targets.h>

#ifndef HWY_DISABLED_TARGETS
#ifdef HWY_AVX3_ZEN4
#define GONOGO_HWY_ZEN4 HWY_AVX3_ZEN4
#else
#define GONOGO_HWY_ZEN4 0
#endif
#ifdef HWY_AVX3_SPR
#define GONOGO_HWY_SPR HWY_AVX3_SPR
#else
#define GONOGO_HWY_SPR 0
#endif
#define HWY_DISABLED_TARGETS                                                                                  \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | GONOGO_HWY_ZEN4 | GONOGO_HWY_SPR | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | \
   HWY_SVE2_128 | HWY_RVV)
#endif
