// Two kernels of measuring itself: a pure read of memory, whose speed is the ceiling of every byte roofline, and a
// delay behind which a host can queue work.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/core/cuda/stream.hpp"

namespace gonogo::kernels::stream::cuda {

struct ReadArgs {
  const std::byte* data = nullptr;  // 16-byte aligned
  std::size_t bytes = 0;            // a multiple of 16
  std::uint32_t* sink = nullptr;    // [1]: the exclusive-or of every 4-byte word read is folded into it
};
void read(const ReadArgs& args, core::StreamRef stream);

/// Occupies the stream for about this long.
void delay(std::int64_t nanoseconds, core::StreamRef stream);

}  // namespace gonogo::kernels::stream::cuda
