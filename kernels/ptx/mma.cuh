// Warp-wide matrix multiply-accumulate m16n8k16 and the bit tricks that turn 4-bit codes into its operands.
// Fragment layout (PTX ISA, "Matrix Fragments for mma.m16n8k16", 16-bit types), g = lane / 4, t = lane % 4:
//   A 16x16, row-major: a0 = (g, 2t..2t+1), a1 = (g+8, 2t..), a2 = (g, 2t+8..), a3 = (g+8, 2t+8..)
//   B 16x8:             b0 = (2t..2t+1, g), b1 = (2t+8.., g)
//   C 16x8, float32:    c0, c1 = (g, 2t..2t+1), c2, c3 = (g+8, 2t..2t+1)
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <bit>
#include <cstdint>

#include "harness/core/cuda/launch.cuh"
#include "kernels/ptx/number.cuh"

namespace gonogo::kernels::ptx {

#ifdef GONOGO_SIMT
/// The instruction's meaning, for the host emulation: products exact, one rounding of their sum into the accumulator.
template <class T>
inline void mma_meaning(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
  simt::Slot mine{{a[0], a[1], a[2], a[3], b0, b1, 0, 0}};
  const simt::Slot* all = simt::exchange(0xffffffffu, mine);
  const auto element = [](std::uint32_t word, int half) {
    return static_cast<double>(to_float(std::bit_cast<T>(static_cast<std::uint16_t>(word >> (16 * half)))));
  };
  const int g = static_cast<int>(simt::lane()) / 4;
  const int t = static_cast<int>(simt::lane()) % 4;
  for (int i = 0; i < 4; ++i) {
    const int row = g + 8 * (i / 2);
    const int column = 2 * t + i % 2;
    double sum = c[i];
    for (int k = 0; k < 16; ++k) {
      const int word_a = 2 * (k / 8) + row / 8;
      const double x = element(all[(row % 8) * 4 + k % 8 / 2].words[word_a], k % 2);
      const double y = element(all[column * 4 + k % 8 / 2].words[4 + k / 8], k % 2);
      sum += x * y;
    }
    c[i] = static_cast<float>(sum);
  }
}
#endif

/// c += A * B, products of T in float32 accumulation. All 32 lanes take part.
template <class T>
__device__ __forceinline__ void mma_16x8x16(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                            std::uint32_t b1);

template <>
__device__ __forceinline__ void mma_16x8x16<__half>(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                                    std::uint32_t b1) {
#ifdef GONOGO_SIMT
  mma_meaning<__half>(c, a, b0, b1);
#else
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

template <>
__device__ __forceinline__ void mma_16x8x16<__nv_bfloat16>(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                                           std::uint32_t b1) {
#ifdef GONOGO_SIMT
  mma_meaning<__nv_bfloat16>(c, a, b0, b1);
#else
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

/// (word & mask) | bits in one LOP3.
template <std::uint32_t mask, std::uint32_t bits>
__device__ __forceinline__ std::uint32_t and_or(std::uint32_t word) {
#ifdef GONOGO_SIMT
  return (word & mask) | bits;
#else
  constexpr int kTable = (0xf0 & 0xcc) | 0xaa;
  std::uint32_t out;
  asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(out) : "r"(word), "n"(mask), "n"(bits), "n"(kTable));
  return out;
#endif
}

/// Pairs of 16-bit numbers held in one word.
template <class T>
struct Pair;

template <>
struct Pair<__half> {
  static __device__ __forceinline__ std::uint32_t make(float low, float high) {
    return static_cast<std::uint32_t>(__half_as_ushort(__float2half_rn(low))) |
           static_cast<std::uint32_t>(__half_as_ushort(__float2half_rn(high))) << 16;
  }
  static __device__ __forceinline__ float low(std::uint32_t pair) {
    return __half2float(__ushort_as_half(static_cast<unsigned short>(pair & 0xffffu)));
  }
  static __device__ __forceinline__ float high(std::uint32_t pair) {
    return __half2float(__ushort_as_half(static_cast<unsigned short>(pair >> 16)));
  }
  /// a * b + c, rounded once each.
  static __device__ __forceinline__ std::uint32_t fma(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
#ifdef GONOGO_SIMT
    const auto one = [](std::uint32_t x, std::uint32_t y, std::uint32_t z, int shift) {
      const auto value = [shift](std::uint32_t w) {
        return static_cast<double>(__half2float(__ushort_as_half(static_cast<unsigned short>(w >> shift))));
      };
      return static_cast<float>(value(x) * value(y) + value(z));
    };
    return make(one(a, b, c, 0), one(a, b, c, 16));
#else
    std::uint32_t out;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(out) : "r"(a), "r"(b), "r"(c));
    return out;
#endif
  }
};

template <>
struct Pair<__nv_bfloat16> {
  static __device__ __forceinline__ std::uint32_t make(float low, float high) {
    return static_cast<std::uint32_t>(__bfloat16_as_ushort(__float2bfloat16_rn(low))) |
           static_cast<std::uint32_t>(__bfloat16_as_ushort(__float2bfloat16_rn(high))) << 16;
  }
  static __device__ __forceinline__ float low(std::uint32_t pair) {
    return __bfloat162float(__ushort_as_bfloat16(static_cast<unsigned short>(pair & 0xffffu)));
  }
  static __device__ __forceinline__ float high(std::uint32_t pair) {
    return __bfloat162float(__ushort_as_bfloat16(static_cast<unsigned short>(pair >> 16)));
  }
  static __device__ __forceinline__ std::uint32_t fma(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
#ifdef GONOGO_SIMT
    const auto one = [](std::uint32_t x, std::uint32_t y, std::uint32_t z, int shift) {
      const auto value = [shift](std::uint32_t w) {
        return static_cast<double>(__bfloat162float(__ushort_as_bfloat16(static_cast<unsigned short>(w >> shift))));
      };
      return static_cast<float>(value(x) * value(y) + value(z));
    };
    return make(one(a, b, c, 0), one(a, b, c, 16));
#else
    std::uint32_t out;
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(out) : "r"(a), "r"(b), "r"(c));
    return out;
#endif
  }
};

/// Eight 4-bit codes of one word as the A fragment of one k step, minus their zero points, all exact:
///   bits 0-3 and 16-19: row g, columns 0, 1 (a0)      bits 4-7 and 20-23: row g+8, columns 0, 1 (a1)
///   bits 8-11 and 24-27: row g, columns 8, 9 (a2)     bits 12-15 and 28-31: row g+8, columns 8, 9 (a3)
/// The layout is one of ours: it makes float16's 1024 + code of row g and 1024 + 16 code of row g+8 out of one LOP3
/// each.
template <class T>
struct Codes;

template <>
struct Codes<__half> {
  std::uint32_t minus_low;   // pair of -(1024 + zero point of row g)
  std::uint32_t minus_high;  // pair of -(64 + zero point of row g+8)

  __device__ __forceinline__ Codes(float zero_low, float zero_high)
      : minus_low(Pair<__half>::make(-(1024.0f + zero_low), -(1024.0f + zero_low))),
        minus_high(Pair<__half>::make(-(64.0f + zero_high), -(64.0f + zero_high))) {}

  __device__ __forceinline__ void decode(std::uint32_t codes, std::uint32_t (&a)[4]) const {
    constexpr std::uint32_t kOne = 0x3c003c00u;        // pair of 1
    constexpr std::uint32_t kSixteenth = 0x2c002c00u;  // pair of 1/16
    const std::uint32_t upper = codes >> 8;
    a[0] = Pair<__half>::fma(and_or<0x000f000fu, 0x64006400u>(codes), kOne, minus_low);
    a[1] = Pair<__half>::fma(and_or<0x00f000f0u, 0x64006400u>(codes), kSixteenth, minus_high);
    a[2] = Pair<__half>::fma(and_or<0x000f000fu, 0x64006400u>(upper), kOne, minus_low);
    a[3] = Pair<__half>::fma(and_or<0x00f000f0u, 0x64006400u>(upper), kSixteenth, minus_high);
  }
};

template <>
struct Codes<__nv_bfloat16> {  // bfloat16's 128 + code; its 8 bits of significand leave no room for 16 * code
  std::uint32_t minus_low;
  std::uint32_t minus_high;

  __device__ __forceinline__ Codes(float zero_low, float zero_high)
      : minus_low(Pair<__nv_bfloat16>::make(-(128.0f + zero_low), -(128.0f + zero_low))),
        minus_high(Pair<__nv_bfloat16>::make(-(128.0f + zero_high), -(128.0f + zero_high))) {}

  __device__ __forceinline__ void decode(std::uint32_t codes, std::uint32_t (&a)[4]) const {
    constexpr std::uint32_t kOne = 0x3f803f80u;
    a[0] = Pair<__nv_bfloat16>::fma(and_or<0x000f000fu, 0x43004300u>(codes), kOne, minus_low);
    a[1] = Pair<__nv_bfloat16>::fma(and_or<0x000f000fu, 0x43004300u>(codes >> 4), kOne, minus_high);
    a[2] = Pair<__nv_bfloat16>::fma(and_or<0x000f000fu, 0x43004300u>(codes >> 8), kOne, minus_low);
    a[3] = Pair<__nv_bfloat16>::fma(and_or<0x000f000fu, 0x43004300u>(codes >> 12), kOne, minus_high);
  }
};

}  // namespace gonogo::kernels::ptx
