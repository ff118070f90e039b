// Sums memory as fast as the widest vectors of the machine can load it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gonogo::probes {

/// Sum of the 64-bit words of `bytes` bytes (a multiple of 512, 64-byte aligned), modulo 2^64.
[[nodiscard]] std::uint64_t read_sum(const std::byte* data, std::size_t bytes);

}  // namespace gonogo::probes
