#include <cmath>

#include "kernels/int4_matmul/cuda/mma.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/int4_case.hpp"

using namespace gonogo;
using namespace gonogo::tests;
using namespace gonogo::kernels::int4_matmul::cuda;
using core::DType;

namespace {

struct Run {
  Bytes y;
  bool counters_zero = true;
};

Run run_mma(const Int4Case& c, Overlap overlap = Overlap::off) {
  const core::Stream stream;
  const Problem& p = c.problem;
  Int4Device device(c, stream);
  const DeviceArray packed(mma_layout(p).bytes, stream);
  const DeviceArray workspace(mma_workspace_bytes(p), stream);
  mma_clear_workspace(p, workspace.data(), stream);
  mma_pack(p, device.args(c), packed.data(), stream);
  MmaArgs args{device.x.data(), packed.data(), c.problem.bias ? device.bias.data() : nullptr, device.y.data(),
               workspace.data()};
  Run run;
  run.y = run_all_ways(stream, device.y, [&] { mma(p, args, overlap, stream); });
  CHECK(packed.guards_intact());
  CHECK(workspace.guards_intact());
  return run;
}

/// A tensor-core step may truncate where float32 would round: two units of 2^-23 a step; then scale, tiles, warps,
/// splits, bias.
double mma_relative(const Problem& p) {
  const double steps = 4;
  const double tiles = std::ceil(static_cast<double>(p.k) / 64 / 4);
  return std::ldexp(steps + 1, -22) + std::ldexp(tiles + 16 + 16 + 3, -24);
}

void check(const Problem& p, unsigned seed = 5) {
  const Int4Case c = make_int4_case(p, seed);
  const std::vector<double> got = decode(p.type, run_mma(c).y);
  const Int4Reference want = reference(c);
  const Difference difference = compare(got, want.y, bounds(c, want, mma_relative(p)));
  CAPTURE(p.m, p.n, p.k, p.block_size, core::name_of(p.type), difference.text);
  CHECK(difference.non_finite == 0);
  CHECK(difference.worst_ratio <= 1.0);
  const Int4Case wrong = with_one_code_wrong(c);
  const Int4Reference other = reference(wrong);
  CHECK(compare(got, other.y, bounds(wrong, other, mma_relative(p))).worst_ratio > 1.0);
}

}  // namespace

TEST_CASE("the int4 mma kernel agrees with the double reference over rows, tails, blocks and zero points",
          "[gpu][int4_matmul]") {
  if (!gpu_ready()) return;
  int checked = 0;
  for (const std::int64_t m : {1, 3, 8, 9, 16, 17})
    for (const std::int64_t n : {8, 40})
      for (const std::int64_t k : {64, 192, 2304})
        for (const std::int64_t block : {32, 64, 128, 256, 1024}) {
          const auto zeros = (m + n / 8 + k / 64 + block / 32) % 2 == 0 ? ZeroPoints::packed : ZeroPoints::none;
          if (kEmulated && k == 2304 && m % 2 == 1) continue;
          check({m, n, k, 4, block, (m + k) % 4 == 0 ? DType::bf16 : DType::f16, zeros, n == 40});
          ++checked;
        }
  CHECK(checked == (kEmulated ? 140 : 180));
}

TEST_CASE("the int4 mma kernel agrees where the grid splits k and where four row tiles share a warp",
          "[gpu][int4_matmul]") {
  if (!gpu_ready()) return;
  const Problem split{kEmulated ? 2 : 8, 33, 4864, 4, 32, DType::f16, ZeroPoints::none, true};
  CHECK(mma_plan(split).grid_split > 1);
  check(split);
  if (kEmulated) return;
  const Problem wide{8, 16 * 132 * 32 + 8, 256, 4, 32, DType::f16, ZeroPoints::none, false};
  CHECK(mma_plan(wide).wide);
  check(wide);
}

TEST_CASE("row r of the int4 mma kernel has the same bits for every number of rows", "[gpu][int4_matmul]") {
  if (!gpu_ready()) return;
  for (const std::int64_t n : {std::int64_t{24}, std::int64_t{kEmulated ? 40 : 4096}}) {
    const std::int64_t k = n == 24 ? 2304 : 1024;
    const Problem all{kEmulated ? 17 : 67, n, k, 4, 128, DType::f16, ZeroPoints::packed, true};
    const Int4Case whole = make_int4_case(all, 3);
    const Bytes together = run_mma(whole).y;
    int compared = 0;
    for (const std::int64_t m : {1, 2, 8, 9, 16}) {
      for (std::int64_t first = 0; first + m <= all.m; first += kEmulated ? 8 : 1) {
        Int4Case part = whole;
        part.problem.m = m;
        const auto row = static_cast<std::ptrdiff_t>(k * 2);
        part.x.assign(whole.x.begin() + first * row, whole.x.begin() + (first + m) * row);
        const Bytes alone = run_mma(part).y;
        const auto wanted = Bytes(together.begin() + first * n * 2, together.begin() + (first + m) * n * 2);
        CAPTURE(n, m, first);
        CHECK(alone == wanted);
        ++compared;
        if (!kEmulated && compared % 16 == 0) break;
      }
    }
    CHECK(compared > 4);
  }
}

TEST_CASE("programmatic launches of the int4 mma kernel give the same bits as plain ones", "[gpu][int4_matmul]") {
  if (!gpu_ready()) return;
  const Problem p{8, 256, 1024, 4, 128, DType::f16, ZeroPoints::none, false};
  const Int4Case c = make_int4_case(p, 8);
  CHECK(run_mma(c, Overlap::off).y == run_mma(c, Overlap::with_previous).y);
}
