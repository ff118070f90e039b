#include "kernels/int4_matmul/int8.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/core/scratch.hpp"
#include "kernels/int4_matmul/weights.hpp"

namespace gonogo::kernels::int4_matmul {
namespace {

constexpr std::int64_t kMaxBlock = 256;

struct Quantized {
  std::int8_t* values = nullptr;  // [m, blocks * block_size], zero past k
  float* scales = nullptr;        // [m, blocks]
};

Quantized lay_out(const Problem& p, core::Scratch& scratch) {
  Quantized q;
  q.values = scratch.take<std::int8_t>(p.m * p.blocks() * p.block_size);
  q.scales = scratch.take<float>(p.m * p.blocks());
  return q;
}

void quantize_block(const float* a, std::int64_t count, std::int64_t block_size, std::int8_t* to, float& scale) {
  float largest = 0.0F;
  for (std::int64_t i = 0; i < count; ++i) largest = std::max(largest, std::fabs(a[i]));
  scale = largest / 127.0F;
  const float inverse = scale == 0.0F ? 0.0F : 1.0F / scale;
  // A non-finite activation makes its whole block NaN through the scale; its codes must only not be undefined.
  const bool finite = std::isfinite(inverse) && std::isfinite(largest);
  for (std::int64_t i = 0; i < block_size; ++i)
    to[i] = i < count && finite ? static_cast<std::int8_t>(std::nearbyint(std::clamp(a[i] * inverse, -127.0F, 127.0F)))
                                : std::int8_t{0};
  if (!finite && scale != 0.0F) scale = std::isfinite(largest) ? scale : std::nanf("");
  for (std::int64_t i = 0; i < count; ++i)
    if (std::isnan(a[i])) scale = std::nanf("");
}

void unpack(const Problem& p, const std::uint8_t* codes, std::int16_t* to) {
  if (p.bits == 8) {
    for (std::int64_t i = 0; i < p.block_size; ++i) to[i] = codes[i];
  } else if (p.bits == 4) {
    for (std::int64_t i = 0; i < p.block_size / 2; ++i) {
      to[2 * i] = codes[i] & 15;
      to[2 * i + 1] = static_cast<std::int16_t>(codes[i] >> 4);
    }
  } else {
    for (std::int64_t i = 0; i < p.block_size; ++i) to[i] = static_cast<std::int16_t>(code_at(codes, i, p.bits));
  }
}

std::int32_t dot(const std::int8_t* a, const std::int16_t* w, std::int64_t count) {
  std::int32_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += a[i] * w[i];
  return sum;
}

}  // namespace

core::Eligibility eligible_int8(const Problem& p) {
  if (auto common = eligible(p); !common) return common;
  if (p.group_index) return core::refuse("g_idx with int8 activations", "absent", "present");
  if (p.zero_points == ZeroPoints::f32 || p.zero_points == ZeroPoints::f16)
    return core::refuse("zero_points with int8 activations", "none or packed", "float");
  return core::accept();
}

std::size_t workspace_int8(const Problem& p, Threads) {
  core::Scratch counter;
  (void)lay_out(p, counter);
  return counter.used();
}

void run_int8(const Problem& p, const Args& args, std::byte* workspace, Threads threads) {
  if (p.m == 0 || p.n == 0) return;
  core::Scratch scratch({workspace, workspace_int8(p, threads)});
  const Quantized q = lay_out(p, scratch);
  const std::int64_t row = p.blocks() * p.block_size;
#pragma omp parallel num_threads(threads.count)
  {
#pragma omp for schedule(static)
    for (std::int64_t mb = 0; mb < p.m * p.blocks(); ++mb) {
      const std::int64_t m = mb / p.blocks();
      const std::int64_t begin = mb % p.blocks() * p.block_size;
      quantize_block(args.a + m * p.k + begin, std::min(p.block_size, p.k - begin), p.block_size,
                     q.values + m * row + begin, q.scales[mb]);
    }
#pragma omp for schedule(static)
    for (std::int64_t n = 0; n < p.n; ++n) {
      for (std::int64_t m = 0; m < p.m; ++m) args.y[m * p.n + n] = 0.0F;
      for (std::int64_t b = 0; b < p.blocks(); ++b) {
        std::array<std::int16_t, kMaxBlock> codes;
        unpack(p, block_at(p, args, n, b), codes.data());
        const auto zero = static_cast<std::int16_t>(zero_point_at(p, args, n, b));
        for (std::int64_t i = 0; i < p.block_size; ++i)
          codes[static_cast<std::size_t>(i)] = static_cast<std::int16_t>(codes[static_cast<std::size_t>(i)] - zero);
        const float scale = scale_at(p, args, n, b);
        for (std::int64_t m = 0; m < p.m; ++m) {
          const auto sum = static_cast<float>(dot(q.values + m * row + b * p.block_size, codes.data(), p.block_size));
          args.y[m * p.n + n] += sum * (scale * q.scales[m * p.blocks() + b]);
        }
      }
      if (args.bias != nullptr)
        for (std::int64_t m = 0; m < p.m; ++m) args.y[m * p.n + n] += args.bias[n];
    }
  }
}

}  // namespace gonogo::kernels::int4_matmul
