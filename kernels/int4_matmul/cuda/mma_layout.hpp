// The packed weights of the tensor-core kernel: codes in the order in which lanes of a warp need them. Host and device.
//
//   codes   [row tile of 16][k tile of 64][lane 32][step 4] words of 8 codes: one 16-byte load per lane is a whole tile
//   scales  [row tile][block][g 8] pairs (row g, row g+8)
//   zeros   [row tile][block][g 8] pairs of bytes; absent when symmetric
//
// Within a tile, lane (g, t) = (lane / 4, lane % 4) and step s hold k = 32 (s/2) + 8t + 4 (s%2) + {0, 1, 2, 3} of rows
// g and g+8: the order of k inside a tile is free as long as weights and activations agree, and this one makes a lane's
// activations of two steps one 16-byte load from a row-major x. Rows past n hold zero scales.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/int4_matmul/cuda/problem.hpp"

#ifdef __CUDACC__
#define GONOGO_HOST_DEVICE __host__ __device__
#else
#define GONOGO_HOST_DEVICE
#endif

namespace gonogo::kernels::int4_matmul::cuda {

inline constexpr int kMmaRows = 16;
inline constexpr int kMmaK = 64;

struct TilePlace {
  int row;  // 0 to 15
  int k;    // 0 to 63
};

/// Where in its tile the code at nibble `nibble` (bits 4 nibble ..) of word `step` of `lane` comes from.
GONOGO_HOST_DEVICE constexpr TilePlace mma_place(int lane, int step, int nibble) {
  return {lane / 4 + 8 * (nibble % 2),
          32 * (step / 2) + 8 * (lane % 4) + 4 * (step % 2) + 2 * (nibble / 2 % 2) + nibble / 4};
}

/// Byte offsets of the parts of a packed weight; each 256-byte aligned.
struct MmaLayout {
  std::int64_t row_tiles = 0;
  std::int64_t k_tiles = 0;
  std::int64_t blocks = 0;
  std::size_t codes_at = 0;
  std::size_t scales_at = 0;
  std::size_t zeros_at = 0;
  std::size_t bytes = 0;
  friend bool operator==(const MmaLayout&, const MmaLayout&) = default;
};
[[nodiscard]] MmaLayout mma_layout(const Problem& problem);

}  // namespace gonogo::kernels::int4_matmul::cuda
