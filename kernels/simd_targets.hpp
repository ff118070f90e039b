// Which Highway targets a kernel is compiled for: every target is one more compilation of the file, so only those that
// differ in speed here are kept. Include before hwy/foreach_target.h.
#pragma once

#include <hwy/detect_targets.h>

// Vectors of unknown length cannot be array elements, which the register tiles need.
#define GONOGO_HWY_SCALABLE (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
// The finer x86 steps add nothing to float32 arithmetic; newer Highway has more of them.
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
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (GONOGO_HWY_SCALABLE | HWY_SSSE3 | HWY_AVX3_DL | GONOGO_HWY_ZEN4 | GONOGO_HWY_SPR)
