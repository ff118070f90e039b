#include <cuda_fp16.h>

#include "harness/core/cuda/launch.cuh"
#include "harness/core/error.hpp"
#include "kernels/int4_matmul/cuda/mma.hpp"

namespace gonogo::kernels::int4_matmul::cuda {
namespace {

constexpr int kThreads = 256;

/// One thread makes one word of 8 codes.
__global__ void __launch_bounds__(kThreads)
    pack_codes_kernel(const std::uint8_t* codes, std::uint32_t* packed, std::int64_t words, int k_tiles, int n,
                      std::int64_t row_bytes) {
  const std::int64_t word = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (word >= words) return;
  const int step = static_cast<int>(word % 4);
  const int lane = static_cast<int>(word / 4 % 32);
  const std::int64_t k_tile = word / 128 % k_tiles;
  const std::int64_t row_tile = word / 128 / k_tiles;
  std::uint32_t out = 0;
  for (int nibble = 0; nibble < 8; ++nibble) {
    const TilePlace place = mma_place(lane, step, nibble);
    const std::int64_t row = row_tile * kMmaRows + place.row;
    const std::int64_t k = k_tile * kMmaK + place.k;
    if (row >= n) continue;  // code 0 under scale 0
    const std::uint32_t code = codes[row * row_bytes + k / 2] >> (k % 2 * 4) & 15u;
    out |= code << (4 * nibble);
  }
  packed[word] = out;
}

/// One thread moves one (row, block): its scale and, when there are any, its zero point.
__global__ void __launch_bounds__(kThreads)
    pack_scales_kernel(const std::uint16_t* scales, const std::uint8_t* zeros, std::uint16_t* packed_scales,
                       std::uint8_t* packed_zeros, std::int64_t count, int blocks, int n, int zero_row_bytes) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (at >= count) return;
  const auto side = static_cast<int>(at % 2);  // row g or g+8
  const auto g = static_cast<int>(at / 2 % 8);
  const std::int64_t block = at / 16 % blocks;
  const std::int64_t row = at / 16 / blocks * kMmaRows + g + 8 * side;
  packed_scales[at] = row < n ? scales[row * blocks + block] : std::uint16_t{0};
  if (zeros != nullptr)
    packed_zeros[at] = row < n
                           ? static_cast<std::uint8_t>(zeros[row * zero_row_bytes + block / 2] >> (block % 2 * 4) & 15)
                           : std::uint8_t{0};
}

}  // namespace

void mma_pack(const Problem& p, const Args& args, std::byte* packed, core::StreamRef stream) {
  const core::Eligibility answer = mma_eligible(p);
  GONOGO_EXPECT(static_cast<bool>(answer), "an eligible problem: " + to_string(answer.reason()));
  const MmaLayout layout = mma_layout(p);
  const auto blocks_for = [](std::int64_t threads) {
    return dim3(static_cast<unsigned>((threads + kThreads - 1) / kThreads));
  };
  const std::int64_t words = layout.row_tiles * layout.k_tiles * 128;
  core::launch(pack_codes_kernel, {.grid = blocks_for(words), .block = dim3(kThreads)}, stream, args.codes,
               reinterpret_cast<std::uint32_t*>(packed + layout.codes_at), words, static_cast<int>(layout.k_tiles),
               static_cast<int>(p.n), p.row_bytes());
  const std::int64_t count = layout.row_tiles * layout.blocks * kMmaRows;
  const bool zeros = p.zero_points == ZeroPoints::packed;
  core::launch(pack_scales_kernel, {.grid = blocks_for(count), .block = dim3(kThreads)}, stream,
               static_cast<const std::uint16_t*>(args.scales),
               zeros ? static_cast<const std::uint8_t*>(args.zero_points) : nullptr,
               reinterpret_cast<std::uint16_t*>(packed + layout.scales_at),
               reinterpret_cast<std::uint8_t*>(packed + layout.zeros_at), count, static_cast<int>(layout.blocks),
               static_cast<int>(p.n), static_cast<int>(p.zero_point_row_bytes()));
}

}  // namespace gonogo::kernels::int4_matmul::cuda
