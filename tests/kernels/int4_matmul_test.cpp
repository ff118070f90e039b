#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "harness/core/scratch.hpp"
#include "kernels/int4_matmul/kernels.hpp"
#include "kernels/reference/int4_matmul.hpp"
#include "tests/catch.hpp"
#include "tests/kernels/guarded.hpp"

namespace {

using namespace gonogo;
using kernels::Threads;
using kernels::int4_matmul::Kernel;
using kernels::int4_matmul::Problem;
using kernels::int4_matmul::ZeroPoints;
using kernels::reference::Int4MatmulCase;

std::vector<float> run(const Kernel& kernel, const Int4MatmulCase& input, int threads) {
  const Problem& p = input.problem;
  const tests::Guarded<float> y(static_cast<std::size_t>(p.m * p.n));
  const tests::Guarded<std::byte> workspace(kernel.workspace_bytes(p, Threads{threads}));
  kernel.run(p, input.args(y.data()), workspace.data(), Threads{threads});
  CHECK(y.guard_intact());
  CHECK(workspace.guard_intact());
  return y.values();
}

kernels::reference::Expected expected(const Kernel& kernel, const Int4MatmulCase& input) {
  return kernel.int8_activations ? kernels::reference::int4_matmul_int8(input.problem, input.args(nullptr))
                                 : kernels::reference::int4_matmul(input.problem, input.args(nullptr));
}

double worst(const Kernel& kernel, const Int4MatmulCase& input, int threads = 2) {
  const auto want = expected(kernel, input);
  return tests::worst_ratio(run(kernel, input, threads), want.value, want.bound);
}

std::string describe(const Problem& p) {
  return "m " + std::to_string(p.m) + " n " + std::to_string(p.n) + " k " + std::to_string(p.k) + " bits " +
         std::to_string(p.bits) + " block " + std::to_string(p.block_size) + " zero points " +
         std::to_string(static_cast<int>(p.zero_points)) + " scales " + std::to_string(static_cast<int>(p.scales));
}

/// Row `row` of the case as a problem of its own.
Int4MatmulCase one_row(const Int4MatmulCase& input, std::int64_t row) {
  Int4MatmulCase out = input;
  out.problem.m = 1;
  const auto* from = input.a.data() + row * input.problem.k;
  out.a.assign(from, from + input.problem.k);
  return out;
}

TEST_CASE("every int4 matmul kernel stays within the float32 bound of the double reference", "[kernels]") {
  int ran = 0;
  for (const Kernel& kernel : kernels::int4_matmul::kernels())
    for (const int bits : {2, 4, 8})
      for (const std::int64_t block : {16, 32, 64, 128, 256})
        for (const auto zero_points : {ZeroPoints::none, ZeroPoints::packed, ZeroPoints::f32, ZeroPoints::f16})
          for (const std::int64_t k : {std::int64_t{1}, block - 3, block, 3 * block, 4 * block + 5}) {
            // m, n, type and bias vary with the other axes: below, at and above each tile.
            const std::int64_t turn = ran;
            const std::array<std::int64_t, 8> ms = {1, 2, 3, 4, 7, 8, 9, 17};
            const std::array<std::int64_t, 7> ns = {1, 3, 8, 24, 25, 31, 53};
            Problem p;
            p.m = ms[static_cast<std::size_t>(turn % 8)];
            p.n = ns[static_cast<std::size_t>(turn % 7)];
            p.k = k;
            p.bits = bits;
            p.block_size = block;
            p.zero_points = zero_points;
            p.scales = turn % 3 == 0 ? core::DType::f16 : core::DType::f32;
            p.bias = turn % 2 == 0;
            if (!kernel.eligible(p)) continue;
            ++ran;
            INFO(kernel.name << ": " << describe(p));
            CHECK(worst(kernel, kernels::reference::int4_matmul_case(p, static_cast<std::uint64_t>(turn) + 1)) <= 1.0);
          }
  CHECK(ran > 500);
}

TEST_CASE("a row of an int4 matmul has the same bits for every m and every thread count", "[kernels]") {
  int compared = 0;
  for (const Kernel& kernel : kernels::int4_matmul::kernels())
    for (const int bits : {4, 8})
      for (const std::int64_t block : {16, 32, 128})
        for (const auto zero_points : {ZeroPoints::none, ZeroPoints::packed, ZeroPoints::f16}) {
          Problem p{
              .m = 17, .n = 61, .k = 3 * block - 5, .bits = bits, .block_size = block, .zero_points = zero_points};
          p.bias = bits == 4;
          if (!kernel.eligible(p)) continue;
          const Int4MatmulCase all = kernels::reference::int4_matmul_case(p, 11);
          std::vector<float> rows;
          for (std::int64_t m = 0; m < p.m; ++m) {
            const auto row = run(kernel, one_row(all, m), 1);
            rows.insert(rows.end(), row.begin(), row.end());
          }
          for (std::int64_t m = 1; m <= p.m; ++m) {
            Int4MatmulCase some = all;
            some.problem.m = m;
            some.a.resize(static_cast<std::size_t>(m * p.k));
            const auto got = run(kernel, some, static_cast<int>(m % 3) + 1);
            INFO(kernel.name << ": " << describe(some.problem));
            CHECK(std::memcmp(got.data(), rows.data(), got.size() * sizeof(float)) == 0);
            ++compared;
          }
        }
  CHECK(compared > 300);
}

TEST_CASE("one wrong nibble, scale or zero point fails the int4 matmul tolerance", "[kernels]") {
  for (const Kernel& kernel : kernels::int4_matmul::kernels()) {
    const Problem p{.m = 3, .n = 40, .k = 500, .zero_points = ZeroPoints::packed};
    REQUIRE(kernel.eligible(p));
    const Int4MatmulCase input = kernels::reference::int4_matmul_case(p, 5);
    const auto want = expected(kernel, input);
    const auto ratio = [&](const Int4MatmulCase& wrong) {
      return tests::worst_ratio(run(kernel, wrong, 2), want.value, want.bound);
    };
    INFO(kernel.name);
    REQUIRE(ratio(input) <= 1.0);
    Int4MatmulCase wrong = input;
    wrong.codes[7] ^= 0x80;
    CHECK(ratio(wrong) > 1.0);
    wrong = input;
    reinterpret_cast<float*>(wrong.scales.data())[19] *= 1.01F;
    CHECK(ratio(wrong) > 1.0);
    wrong = input;
    wrong.zero_points[3] ^= std::byte{1};
    CHECK(ratio(wrong) > 1.0);
  }
}

TEST_CASE("codes past k change nothing in an int4 matmul", "[kernels]") {
  for (const Kernel& kernel : kernels::int4_matmul::kernels())
    for (const int bits : {4, 8}) {
      const Problem p{.m = 2, .n = 9, .k = 45, .bits = bits};
      Int4MatmulCase input = kernels::reference::int4_matmul_case(p, 6);
      const auto before = run(kernel, input, 1);
      const std::int64_t row = p.blocks() * p.block_bytes();
      for (std::int64_t n = 0; n < p.n; ++n) {
        const std::int64_t first = n * row + (p.k * bits + 7) / 8;
        for (std::int64_t i = first; i < (n + 1) * row; ++i) input.codes[static_cast<std::size_t>(i)] ^= 0xFF;
      }
      INFO(kernel.name << " bits " << bits);
      CHECK(run(kernel, input, 1) == before);
    }
}

TEST_CASE("an int4 matmul takes a group index in the portable path and refuses it elsewhere and beside zero points",
          "[kernels]") {
  const Problem p{.m = 3, .n = 20, .k = 100, .group_index = true};
  const Kernel& portable = kernels::int4_matmul::kernel("portable");
  CHECK(worst(portable, kernels::reference::int4_matmul_case(p, 8)) <= 1.0);
  Int4MatmulCase moved = kernels::reference::int4_matmul_case(p, 8);
  const auto want = expected(portable, moved);
  moved.group[50] = (moved.group[50] + 1) % static_cast<std::int32_t>(p.blocks());
  CHECK(tests::worst_ratio(run(portable, moved, 1), want.value, want.bound) > 1.0);
  CHECK_FALSE(kernels::int4_matmul::kernel("simd").eligible(p));
  CHECK_FALSE(kernels::int4_matmul::kernel("int8").eligible(p));
  Problem both = p;
  both.zero_points = ZeroPoints::packed;
  CHECK(portable.eligible(both).reason() == core::Refusal{"zero_points beside g_idx", "absent", "present"});
}

TEST_CASE("an int4 matmul refuses other block sizes and widths with rule, wanted and got", "[kernels]") {
  for (const std::int64_t block : {512, 1024, 8, 24, 48, 0, -32}) {
    const Problem p{.m = 1, .n = 8, .k = 64, .block_size = block};
    for (const Kernel& kernel : kernels::int4_matmul::kernels())
      CHECK(kernel.eligible(p).reason() ==
            core::Refusal{"block_size, one of", "16, 32, 64, 128, 256", std::to_string(block)});
  }
  const Problem three{.m = 1, .n = 8, .k = 64, .bits = 3};
  CHECK(kernels::int4_matmul::eligible(three).reason() == core::Refusal{"bits, one of", "2, 4, 8", "3"});
  const Problem two{.m = 1, .n = 8, .k = 64, .bits = 2};
  CHECK(kernels::int4_matmul::kernel("simd").eligible(two).reason().got == "2");
}

TEST_CASE("an int4 matmul without rows, columns or depth gives an empty result or the bias", "[kernels]") {
  for (const Kernel& kernel : kernels::int4_matmul::kernels()) {
    INFO(kernel.name);
    CHECK(run(kernel, kernels::reference::int4_matmul_case({.m = 0, .n = 8, .k = 64}, 1), 2).empty());
    CHECK(run(kernel, kernels::reference::int4_matmul_case({.m = 3, .n = 0, .k = 64}, 1), 2).empty());
    for (const std::int64_t m : {1, 3, 12})
      CHECK(run(kernel, kernels::reference::int4_matmul_case({.m = m, .n = 5, .k = 0}, 1), 2) ==
            std::vector<float>(static_cast<std::size_t>(m * 5), 0.0F));
    const Int4MatmulCase biased = kernels::reference::int4_matmul_case({.m = 1, .n = 5, .k = 0, .bias = true}, 1);
    CHECK(run(kernel, biased, 2) == biased.bias);
  }
}

TEST_CASE("a non-finite activation stays visible in its row and in no other", "[kernels]") {
  for (const Kernel& kernel : kernels::int4_matmul::kernels())
    for (const float bad : {std::nanf(""), INFINITY}) {
      Int4MatmulCase input = kernels::reference::int4_matmul_case({.m = 3, .n = 7, .k = 70}, 4);
      input.a[70 + 33] = bad;
      const auto y = run(kernel, input, 2);
      INFO(kernel.name);
      for (std::size_t i = 0; i < y.size(); ++i) CHECK(std::isfinite(y[i]) == (i / 7 != 1));
    }
}

TEST_CASE("only the portable int4 matmul allocates, and only for several rows", "[kernels]") {
  for (const Kernel& kernel : kernels::int4_matmul::kernels())
    for (const std::int64_t m : {1, 2, 9}) {
      const Int4MatmulCase input = kernels::reference::int4_matmul_case({.m = m, .n = 30, .k = 64}, 2);
      const core::HostBuffer workspace(kernel.workspace_bytes(input.problem, Threads{2}));
      std::vector<float> y(static_cast<std::size_t>(m * 30));
      const auto before = core::host_allocations();
      kernel.run(input.problem, input.args(y.data()), workspace.data(), Threads{2});
      const bool allocated = (core::host_allocations() - before).allocations != 0;
      INFO(kernel.name << " m " << m);
      CHECK(allocated == (kernel.name == "portable" && m > 1));
      CHECK(allocated == kernel.transient(input.problem));
    }
}

TEST_CASE("the int4 matmul byte model counts codes, scales and zero points once", "[kernels]") {
  const Problem p{.m = 2, .n = 8, .k = 45, .zero_points = ZeroPoints::packed, .bias = true};
  const core::Work work = kernels::int4_matmul::work(p);
  CHECK(work.weight_bytes == 8 * (2 * 16 + 2 * 4 + 1) + 8 * 4);
  CHECK(work.activation_bytes == (2 * 45 + 2 * 8) * 4);
  CHECK(work.flops == 2 * 2 * 8 * 45 + 2 * 8);
}

}  // namespace
