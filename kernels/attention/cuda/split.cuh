// Inside of split attention: chunks, partial results and the launchers of its kernels.
#pragma once

#include "kernels/attention/cuda/common.cuh"

namespace gonogo::kernels::attention::cuda {

inline constexpr int kChunk = 64;  // keys of one block, at fixed places of the cache

/// What the blocks of a chunk leave and the combining kernel reads; only chunks that a row sees are written.
struct Partials {
  float* values;  // [row, head, chunk, head_dim], not divided
  float2* stats;  // [row, head, chunk]: maximum and sum
  int chunks;

  [[nodiscard]] __device__ __forceinline__ std::int64_t at(const Extents& e, int row, int head, int chunk) const {
    return (static_cast<std::int64_t>(row) * e.heads + head) * chunks + chunk;
  }
};

/// Grid (chunk, KV head, row), CUDA cores: float32.
void launch_split_f32(const Problem& problem, const Args& args, const Partials& partials, core::StreamRef stream);
/// Grid (chunk, KV head, 16 pairs of row and query head), tensor cores: __half and __nv_bfloat16.
template <class T>
void launch_split_mma(const Problem& problem, const Args& args, const Partials& partials, core::StreamRef stream);

}  // namespace gonogo::kernels::attention::cuda
