// Whether a kernel may start while the one before it in the stream drains.
#pragma once

namespace gonogo::kernels {

/// Programmatic dependent launch (sm_90 and later; elsewhere the same as off): launch latency and the reads of weights
/// hide behind the kernel before. Every kernel of the chain must wait for its predecessor before it ends, as all of
/// this project's do.
enum class Overlap { off, with_previous };

}  // namespace gonogo::kernels
