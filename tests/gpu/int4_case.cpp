#include "tests/gpu/int4_case.hpp"

#include <cmath>
#include <random>

namespace gonogo::tests {

using kernels::int4_matmul::cuda::Args;
using kernels::int4_matmul::cuda::Problem;
using kernels::int4_matmul::cuda::ZeroPoints;

namespace {

int packed_at(const Bytes& bytes, std::int64_t row_at, std::int64_t index, int bits) {
  const std::int64_t per_byte = 8 / bits;
  const auto byte = static_cast<unsigned>(bytes[static_cast<std::size_t>(row_at + index / per_byte)]);
  return static_cast<int>(byte >> (index % per_byte * bits) & ((1u << bits) - 1));
}

}  // namespace

Int4Case make_int4_case(const Problem& p, unsigned seed) {
  std::mt19937 random(seed);
  const auto random_bytes = [&random](std::int64_t count) {
    Bytes bytes(static_cast<std::size_t>(count));
    for (std::byte& b : bytes) b = static_cast<std::byte>(random() & 0xff);
    return bytes;
  };
  const auto blocks = static_cast<std::size_t>(p.n * p.blocks());
  Int4Case c{p,
             encode(p.type, normals(p.type, static_cast<std::size_t>(p.m * p.k), 1.0, seed + 1)),
             random_bytes(p.n * p.row_bytes()),
             encode(p.type, normals(p.type, blocks, 0.02, seed + 2)),
             {},
             {}};
  if (p.zero_points == ZeroPoints::packed) c.zeros = random_bytes(p.n * p.zero_point_row_bytes());
  if (p.zero_points == ZeroPoints::typed) {
    std::vector<double> zeros(blocks);
    for (double& zero : zeros) zero = static_cast<double>(random() % 29) / 2;
    c.zeros = encode(p.type, zeros);
  }
  if (p.bias) c.bias = encode(p.type, normals(p.type, static_cast<std::size_t>(p.n), 1.0, seed + 3));
  return c;
}

Int4Reference reference(const Int4Case& c) {
  const Problem& p = c.problem;
  const std::vector<double> x = decode(p.type, c.x);
  const std::vector<double> scales = decode(p.type, c.scales);
  const std::vector<double> bias = decode(p.type, c.bias);
  const std::vector<double> zeros =
      p.zero_points == ZeroPoints::typed ? decode(p.type, c.zeros) : std::vector<double>{};
  Int4Reference result;
  result.y.resize(static_cast<std::size_t>(p.m * p.n));
  result.magnitude.resize(result.y.size());
  std::vector<double> weights(static_cast<std::size_t>(p.k));
  for (std::int64_t n = 0; n < p.n; ++n) {
    for (std::int64_t k = 0; k < p.k; ++k) {
      const std::int64_t block = k / p.block_size;
      double zero = 1 << (p.bits - 1);
      if (p.zero_points == ZeroPoints::packed) zero = packed_at(c.zeros, n * p.zero_point_row_bytes(), block, p.bits);
      if (p.zero_points == ZeroPoints::typed) zero = zeros[static_cast<std::size_t>(n * p.blocks() + block)];
      const int code = packed_at(c.codes, n * p.row_bytes(), k, p.bits);
      weights[static_cast<std::size_t>(k)] = (code - zero) * scales[static_cast<std::size_t>(n * p.blocks() + block)];
    }
    for (std::int64_t m = 0; m < p.m; ++m) {
      double sum = p.bias ? bias[static_cast<std::size_t>(n)] : 0.0;
      double magnitude = std::abs(sum);
      for (std::int64_t k = 0; k < p.k; ++k) {
        const double product = weights[static_cast<std::size_t>(k)] * x[static_cast<std::size_t>(m * p.k + k)];
        sum += product;
        magnitude += std::abs(product);
      }
      result.y[static_cast<std::size_t>(m * p.n + n)] = sum;
      result.magnitude[static_cast<std::size_t>(m * p.n + n)] = magnitude;
    }
  }
  return result;
}

std::vector<double> bounds(const Int4Case& c, const Int4Reference& r, double relative) {
  std::vector<double> bound(r.y.size());
  for (std::size_t i = 0; i < bound.size(); ++i) {
    const double before_rounding = relative * r.magnitude[i];
    bound[i] = before_rounding + half_ulp(c.problem.type, std::abs(r.y[i]) + before_rounding);
  }
  return bound;
}

Int4Case with_one_code_wrong(Int4Case c) {
  const std::vector<double> x = decode(c.problem.type, c.x);
  const std::vector<double> scales = decode(c.problem.type, c.scales);
  const auto weight_of = [&](std::int64_t k) {  // what a unit of the code is worth in the sum
    return std::abs(x[static_cast<std::size_t>(k)] * scales[static_cast<std::size_t>(k / c.problem.block_size)]);
  };
  std::int64_t largest = 0;
  for (std::int64_t k = 1; k < c.problem.k; ++k)
    if (weight_of(k) > weight_of(largest)) largest = k;
  const int per_byte = 8 / c.problem.bits;
  c.codes[static_cast<std::size_t>(largest / per_byte)] ^=
      static_cast<std::byte>(1u << (c.problem.bits - 1) << (largest % per_byte * c.problem.bits));
  return c;
}

Int4Device::Int4Device(const Int4Case& c, core::StreamRef stream)
    : x(c.x, stream),
      codes(c.codes, stream),
      scales(c.scales, stream),
      zeros(c.zeros, stream),
      bias(c.bias, stream),
      y(core::bytes_of(c.problem.type, c.problem.m * c.problem.n), stream) {}

Args Int4Device::args(const Int4Case& c) const {
  Args args;
  args.x = x.data();
  args.codes = codes.as<std::uint8_t>();
  args.scales = scales.data();
  args.zero_points = c.problem.zero_points == ZeroPoints::none ? nullptr : zeros.data();
  args.bias = c.problem.bias ? bias.data() : nullptr;
  args.y = y.data();
  return args;
}

}  // namespace gonogo::tests
