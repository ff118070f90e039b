// Weights in ONNX's layout as device code reads them: shared by the GEMV and the tiled kernel.
#pragma once

#include <cstdint>

#include "kernels/int4_matmul/cuda/problem.hpp"
#include "kernels/ptx/number.cuh"

namespace gonogo::kernels::int4_matmul::cuda {

template <class T>
struct Weights {
  const std::uint8_t* codes;
  const T* scales;
  const std::uint8_t* packed_zeros;  // or null
  const T* typed_zeros;              // or null
  int blocks;
  int block_shift;  // log2 of the block size
  std::int64_t row_bytes;
  int zero_row_bytes;
};

template <class T>
Weights<T> weights_of(const Problem& p, const Args& args) {
  int shift = 0;
  while ((std::int64_t{1} << shift) < p.block_size) ++shift;
  return {args.codes,
          static_cast<const T*>(args.scales),
          p.zero_points == ZeroPoints::packed ? static_cast<const std::uint8_t*>(args.zero_points) : nullptr,
          p.zero_points == ZeroPoints::typed ? static_cast<const T*>(args.zero_points) : nullptr,
          static_cast<int>(p.blocks()),
          shift,
          p.row_bytes(),
          static_cast<int>(p.zero_point_row_bytes())};
}

template <class T>
__device__ __forceinline__ float scale_at(const Weights<T>& w, int row, int block) {
  return ptx::to_float(w.scales[static_cast<std::int64_t>(row) * w.blocks + block]);
}

template <class T, int bits>
__device__ __forceinline__ float zero_at(const Weights<T>& w, int row, int block) {
  if (w.packed_zeros != nullptr) {
    constexpr int kPerByte = 8 / bits;
    const std::uint8_t byte = w.packed_zeros[static_cast<std::int64_t>(row) * w.zero_row_bytes + block / kPerByte];
    return static_cast<float>(byte >> (block % kPerByte * bits) & ((1 << bits) - 1));
  }
  if (w.typed_zeros != nullptr) return ptx::to_float(w.typed_zeros[static_cast<std::int64_t>(row) * w.blocks + block]);
  return static_cast<float>(1 << (bits - 1));
}

}  // namespace gonogo::kernels::int4_matmul::cuda
