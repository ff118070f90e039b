#include <cmath>

#include "kernels/int4_matmul/cuda/gemv.hpp"
#include "kernels/int4_matmul/cuda/tiled.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/int4_case.hpp"

using namespace gonogo;
using namespace gonogo::tests;
using namespace gonogo::kernels::int4_matmul::cuda;
using core::DType;

namespace {

using Kernel = void (*)(const Problem&, const Args&, core::StreamRef);

void check(Kernel kernel, const Problem& problem, double relative) {
  const core::Stream stream;
  const Int4Case c = make_int4_case(problem, 11);
  Int4Device device(c, stream);
  const Bytes got = run_all_ways(stream, device.y, [&] { kernel(c.problem, device.args(c), stream); });
  const Int4Reference want = reference(c);
  const Difference difference = compare(decode(problem.type, got), want.y, bounds(c, want, relative));
  CAPTURE(problem.m, problem.n, problem.k, problem.bits, problem.block_size, core::name_of(problem.type),
          difference.text);
  CHECK(difference.non_finite == 0);
  CHECK(difference.worst_ratio <= 1.0);

  const Int4Case wrong = with_one_code_wrong(c);
  const Int4Reference other = reference(wrong);
  CHECK(compare(decode(problem.type, got), other.y, bounds(wrong, other, relative)).worst_ratio > 1.0);
}

/// Longest chain of float32 roundings of the GEMV: 8 in a unit, the scale, a lane's units, 5 exchanges, the bias.
double gemv_relative(const Problem& p) {
  return std::ldexp(8 + 1 + std::ceil(static_cast<double>(p.k) / 32 / 8) + 5 + 1 + 3, -24);
}
/// The tiled kernel adds k products one after another, each with a weight rounded twice.
double tiled_relative(const Problem& p) { return std::ldexp(static_cast<double>(p.k) + 4, -24); }

}  // namespace

TEST_CASE("the int4 GEMV agrees with the double reference for every block size, tail and zero point form",
          "[gpu][int4_matmul]") {
  if (!gpu_ready()) return;
  int checked = 0;
  for (const DType type : {DType::f16, DType::bf16, DType::f32})
    for (const std::int64_t block : {16, 32, 64, 128, 256})
      for (const std::int64_t k : {16, 45, 172, 256, 1032})
        for (const ZeroPoints zeros : {ZeroPoints::none, ZeroPoints::packed, ZeroPoints::typed}) {
          const int bits = (k + block) % 3 == 0 ? 8 : 4;
          const Problem p{1, 19, k, bits, block, type, zeros, k == 172};
          check(gemv, p, gemv_relative(p));
          ++checked;
        }
  CHECK(checked == 225);
}

TEST_CASE("the int4 GEMV agrees at a layer's shape", "[gpu][int4_matmul]") {
  if (!gpu_ready()) return;
  const Problem p{1, kEmulated ? 40 : 4608, 4096, 4, 128, DType::f16, ZeroPoints::none, true};
  check(gemv, p, gemv_relative(p));
}

TEST_CASE("the portable int4 kernels agree for blocks wider than a row and for many rows of 8-bit codes",
          "[gpu][int4_matmul]") {
  if (!gpu_ready()) return;
  for (const DType type : {DType::f16, DType::f32})
    for (const std::int64_t block : {512, 1024})
      for (const std::int64_t k : {300, 1040})
        for (const ZeroPoints zeros : {ZeroPoints::none, ZeroPoints::packed, ZeroPoints::typed}) {
          const Problem one{1, 9, k, 4, block, type, zeros, true};
          check(gemv, one, gemv_relative(one));
          const Problem many{k == 300 ? 5 : 2, 9, k, 8, block, type, zeros, false};
          check(tiled, many, tiled_relative(many));
        }
}

TEST_CASE("the tiled int4 kernel agrees with the double reference for 1 to 17 rows and odd extents",
          "[gpu][int4_matmul]") {
  if (!gpu_ready()) return;
  int checked = 0;
  for (const std::int64_t m : {1, 2, 3, 8, 15, 16, 17})
    for (const std::int64_t n : {1, 16, 33})
      for (const std::int64_t k : {20, 45, 128, 172}) {
        const std::int64_t block = std::int64_t{16} << ((m + n + k) % 5);
        const auto zeros = static_cast<ZeroPoints>((m + k) % 3);
        const DType type = n == 16 ? DType::bf16 : n == 1 ? DType::f32 : DType::f16;
        const Problem p{m, n, k, k == 128 ? 8 : 4, block, type, zeros, m % 2 == 0};
        check(tiled, p, tiled_relative(p));
        ++checked;
      }
  CHECK(checked == 84);
}

TEST_CASE("a problem that the portable kernels cannot take is refused with rule, wanted and got",
          "[gpu][int4_matmul]") {
  if (!gpu_ready()) return;
  const core::Stream stream;
  const Problem two_rows{2, 16, 64, 4, 32, DType::f16, ZeroPoints::none, false};
  Problem odd_block = two_rows;
  odd_block.block_size = 24;
  CHECK(to_string(eligible(odd_block).reason()) == "block_size: wanted a power of two, 16 to 1024, got 24");
  CHECK(to_string(gemv_eligible(two_rows).reason()) == "m: wanted 1, got 2");
  CHECK_THROWS(gemv(two_rows, {}, stream));
}
