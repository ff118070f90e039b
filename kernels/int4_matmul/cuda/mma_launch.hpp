// Inside of the mma kernel: what its launchers take, one per tuning and type, each in its own .cu.
#pragma once

#include "kernels/int4_matmul/cuda/mma.hpp"

namespace gonogo::kernels::int4_matmul::cuda {

/// Tokens a block computes at once; wider problems are cut into chunks of kMmaMostTokens.
inline constexpr int kMmaTokens = 8;
inline constexpr int kMmaMostTokens = 32;

/// Policies travel as types: nvcc 13 does not launch kernels templated on class-type values of a namespace.
struct MmaTuning {
  int warps;      // per block; they split k and meet in shared memory in a fixed order
  int row_tiles;  // per warp; they share one activation fragment
  int depth;      // k tiles in flight per warp
};
struct MmaTall {  // docs/h200-ceilings.md: 16 warps, 2 in flight had the best sum over glm-4-9b's layers
  static constexpr MmaTuning tuning{.warps = 16, .row_tiles = 1, .depth = 2};
};
struct MmaWide {  // the same: 4 row tiles, 4 warps, 1 in flight streams a very large matrix best
  static constexpr MmaTuning tuning{.warps = 4, .row_tiles = 4, .depth = 1};
};

/// 8-token tiles per block for m rows: 1, 2 or 4.
[[nodiscard]] constexpr int mma_token_tiles(std::int64_t m) { return m <= 8 ? 1 : m <= 16 ? 2 : 4; }

template <class T, class Tuning>
void launch_mma(const Problem& problem, const MmaArgs& args, Overlap overlap, core::StreamRef stream);

}  // namespace gonogo::kernels::int4_matmul::cuda
