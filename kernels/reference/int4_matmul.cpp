#include "kernels/reference/int4_matmul.hpp"

#include <algorithm>
#include <cmath>

#include "harness/core/half.hpp"

namespace gonogo::kernels::reference {
namespace {

using int4_matmul::Args;
using int4_matmul::Problem;
using int4_matmul::ZeroPoints;

constexpr double kUnit = 0x1p-24;

double gamma(std::int64_t roundings) {
  const double nu = static_cast<double>(roundings) * kUnit;
  return nu / (1.0 - nu);
}

/// Bits [bit, bit + width) of a byte string whose low bits come first. Written apart from the kernels' readers on
/// purpose.
unsigned bits_at(const std::uint8_t* bytes, std::int64_t bit, int width) {
  unsigned value = 0;
  for (int i = 0; i < width; ++i) value |= ((bytes[(bit + i) / 8] >> ((bit + i) % 8)) & 1U) << i;
  return value;
}

double code(const Problem& p, const Args& args, std::int64_t n, std::int64_t k) {
  const std::int64_t row_bytes = p.blocks() * p.block_size * p.bits / 8;
  return bits_at(args.codes + n * row_bytes, k * p.bits, p.bits);
}

double scale(const Problem& p, const Args& args, std::int64_t n, std::int64_t block) {
  const std::int64_t at = n * p.blocks() + block;
  return p.scales == core::DType::f16 ? core::f16_to_f32(static_cast<const std::uint16_t*>(args.scales)[at])
                                      : static_cast<const float*>(args.scales)[at];
}

double zero_point(const Problem& p, const Args& args, std::int64_t n, std::int64_t block) {
  const std::int64_t at = n * p.blocks() + block;
  switch (p.zero_points) {
    case ZeroPoints::packed: {
      const std::int64_t row_bits = (p.blocks() * p.bits + 7) / 8 * 8;
      return bits_at(static_cast<const std::uint8_t*>(args.zero_points), n * row_bits + block * p.bits, p.bits);
    }
    case ZeroPoints::f32:
      return static_cast<const float*>(args.zero_points)[at];
    case ZeroPoints::f16:
      return core::f16_to_f32(static_cast<const std::uint16_t*>(args.zero_points)[at]);
    case ZeroPoints::none:
      break;
  }
  return std::ldexp(1.0, p.bits - 1);
}

/// splitmix64: the same numbers everywhere, unlike the standard distributions.
struct Random {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = (state += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  /// In [-1, 1).
  float signed_unit() { return static_cast<float>(static_cast<double>(next() >> 11) * 0x1p-52 - 1.0); }
};

void fill_floats(std::vector<std::byte>& bytes, core::DType type, std::int64_t count, auto&& value) {
  bytes.resize(core::bytes_of(type, count));
  for (std::int64_t i = 0; i < count; ++i) {
    if (type == core::DType::f16)
      reinterpret_cast<std::uint16_t*>(bytes.data())[i] = core::f32_to_f16(value());
    else
      reinterpret_cast<float*>(bytes.data())[i] = value();
  }
}

}  // namespace

Expected int4_matmul(const Problem& p, const Args& args) {
  Expected out;
  const double error = gamma(p.k / 4 + 12);
  std::vector<double> weights(static_cast<std::size_t>(p.n * p.k));
  for (std::int64_t n = 0; n < p.n; ++n)
    for (std::int64_t k = 0; k < p.k; ++k) {
      const std::int64_t block = p.group_index ? args.group[k] : k / p.block_size;
      weights[static_cast<std::size_t>(n * p.k + k)] =
          (code(p, args, n, k) - zero_point(p, args, n, block)) * scale(p, args, n, block);
    }
  for (std::int64_t m = 0; m < p.m; ++m)
    for (std::int64_t n = 0; n < p.n; ++n) {
      double sum = p.bias ? args.bias[n] : 0.0;
      double magnitude = std::fabs(sum);
      for (std::int64_t k = 0; k < p.k; ++k) {
        const double term = static_cast<double>(args.a[m * p.k + k]) * weights[static_cast<std::size_t>(n * p.k + k)];
        sum += term;
        magnitude += std::fabs(term);
      }
      out.value.push_back(sum);
      out.bound.push_back(error * magnitude);
    }
  return out;
}

Expected int4_matmul_int8(const Problem& p, const Args& args) {
  Expected out;
  const double error = gamma(p.blocks() + 6);
  for (std::int64_t m = 0; m < p.m; ++m)
    for (std::int64_t n = 0; n < p.n; ++n) {
      double sum = p.bias ? args.bias[n] : 0.0;
      double magnitude = std::fabs(sum);
      for (std::int64_t b = 0; b < p.blocks(); ++b) {
        const std::int64_t end = std::min(p.k, (b + 1) * p.block_size);
        float largest = 0.0F;
        for (std::int64_t k = b * p.block_size; k < end; ++k)
          largest = std::max(largest, std::fabs(args.a[m * p.k + k]));
        const float step = largest / 127.0F;
        const float inverse = step == 0.0F ? 0.0F : 1.0F / step;
        double dot = 0.0;
        for (std::int64_t k = b * p.block_size; k < end; ++k)
          dot += std::nearbyint(args.a[m * p.k + k] * inverse) * (code(p, args, n, k) - zero_point(p, args, n, b));
        const double term = dot * scale(p, args, n, b) * step;
        sum += term;
        magnitude += std::fabs(term);
      }
      out.value.push_back(sum);
      out.bound.push_back(error * magnitude);
    }
  return out;
}

Args Int4MatmulCase::args(float* y) const {
  Args out;
  out.a = a.data();
  out.codes = codes.data();
  out.scales = scales.data();
  out.zero_points = zero_points.empty() ? nullptr : zero_points.data();
  out.group = group.empty() ? nullptr : group.data();
  out.bias = bias.empty() ? nullptr : bias.data();
  out.y = y;
  return out;
}

Int4MatmulCase int4_matmul_case(const Problem& p, std::uint64_t seed) {
  Random random{seed};
  Int4MatmulCase out;
  out.problem = p;
  for (std::int64_t i = 0; i < p.m * p.k; ++i) out.a.push_back(random.signed_unit());
  out.codes.resize(static_cast<std::size_t>(p.n * p.blocks() * p.block_bytes()));
  for (auto& byte : out.codes) byte = static_cast<std::uint8_t>(random.next());
  fill_floats(out.scales, p.scales, p.n * p.blocks(), [&] { return random.signed_unit() * 0.02F; });
  const auto middle = static_cast<float>(1 << (p.bits - 1));
  switch (p.zero_points) {
    case ZeroPoints::packed:
      out.zero_points.resize(static_cast<std::size_t>(p.n * p.zero_point_row_bytes()));
      for (auto& byte : out.zero_points) byte = static_cast<std::byte>(random.next());
      break;
    case ZeroPoints::f32:
    case ZeroPoints::f16:
      fill_floats(out.zero_points, p.zero_points == ZeroPoints::f16 ? core::DType::f16 : core::DType::f32,
                  p.n * p.blocks(), [&] { return middle * (1.0F + 0.5F * random.signed_unit()); });
      break;
    case ZeroPoints::none:
      break;
  }
  if (p.group_index)
    for (std::int64_t k = 0; k < p.k; ++k)
      out.group.push_back(static_cast<std::int32_t>(random.next() % static_cast<std::uint64_t>(p.blocks())));
  if (p.bias)
    for (std::int64_t n = 0; n < p.n; ++n) out.bias.push_back(random.signed_unit());
  return out;
}

}  // namespace gonogo::kernels::reference
