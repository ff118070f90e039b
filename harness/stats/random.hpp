// Draws that are the same on every machine: the standard distributions differ between libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace gonogo::stats {

/// A uniform index below n, n at most 2^32. The bias of the fixed-point product, n / 2^32, is far below what a resample
/// can show.
[[nodiscard]] inline std::size_t draw(std::mt19937_64& random, std::size_t n) {
  return static_cast<std::size_t>(((random() >> 32) * static_cast<std::uint64_t>(n)) >> 32);
}

/// Uniform in the open interval (0, 1), on a grid of 2^-53.
[[nodiscard]] inline double draw_unit(std::mt19937_64& random) {
  return (static_cast<double>(random() >> 11) + 0.5) * 0x1.0p-53;
}

}  // namespace gonogo::stats
