#include <cmath>
#include <cstring>

#include "harness/core/half.hpp"
#include "kernels/norm/norm.hpp"
#include "kernels/reference/norm.hpp"
#include "tests/catch.hpp"
#include "tests/kernels/guarded.hpp"

namespace {

using namespace gonogo;
using kernels::Threads;
using kernels::norm::Kind;
using kernels::norm::Problem;
using kernels::norm::Rounding;
using kernels::reference::norm_case;
using kernels::reference::NormCase;

struct Outcome {
  std::vector<float> y, sum;
};

Outcome run(const NormCase& c, int threads = 2) {
  const tests::Guarded<float> y(c.x.size()), sum(c.x.size());
  auto args = c.args();
  args.y = y.data();
  if (!c.skip.empty()) args.sum = sum.data();
  kernels::norm::normalize(c.problem, args, Threads{threads});
  CHECK(y.guard_intact());
  CHECK(sum.guard_intact());
  return {y.values(), sum.values()};
}

double worst(const NormCase& c) {
  const auto want = kernels::reference::norm_expected(c);
  return tests::worst_ratio(run(c).y, want.value, want.bound);
}

TEST_CASE("RMS and layer norms stay within the float32 bound of the double reference", "[kernels]") {
  int ran = 0;
  for (const Kind kind : {Kind::rms, Kind::layer})
    for (const std::int64_t width : {1, 2, 3, 15, 16, 17, 63, 64, 65, 127, 129, 896, 1000, 4096})
      for (const std::int64_t rows : {1, 3})
        for (const bool skip : {false, true}) {
          const NormCase c = norm_case({.rows = rows, .width = width, .epsilon = 1e-5f, .kind = kind}, skip, 21);
          CAPTURE(static_cast<int>(kind), width, rows, skip);
          CHECK(worst(c) <= 1.0);
          ++ran;
        }
  CHECK(ran == 2 * 14 * 2 * 2);
}

TEST_CASE("the norm bound notices an element, a weight or an epsilon that is a little wrong", "[kernels]") {
  for (const Kind kind : {Kind::rms, Kind::layer}) {
    const NormCase c = norm_case({.rows = 2, .width = 896, .epsilon = 1e-2f, .kind = kind}, true, 22);
    const auto want = kernels::reference::norm_expected(c);
    const auto ratio = [&](const NormCase& changed) {
      return tests::worst_ratio(run(changed).y, want.value, want.bound);
    };
    CHECK(ratio(c) <= 1.0);
    NormCase wrong = c;
    wrong.x[5] += 0.01f;
    CHECK(ratio(wrong) > 1.0);
    wrong = c;
    wrong.gamma[895] *= 1.001f;
    CHECK(ratio(wrong) > 1.0);
    wrong = c;
    wrong.skip_bias[7] += 0.01f;
    CHECK(ratio(wrong) > 1.0);
    wrong = c;
    wrong.problem.epsilon *= 1.05f;
    CHECK(ratio(wrong) > 1.0);
  }
}

TEST_CASE("a norm row has the same bits alone and among others, on any number of threads", "[kernels]") {
  for (const Kind kind : {Kind::rms, Kind::layer})
    for (const std::int64_t width : {17, 896}) {
      const NormCase c = norm_case({.rows = 70, .width = width, .kind = kind}, true, 23);
      const Outcome all = run(c, 1);
      for (const int threads : {2, 5}) {
        const Outcome other = run(c, threads);
        CHECK(std::memcmp(other.y.data(), all.y.data(), all.y.size() * sizeof(float)) == 0);
      }
      const auto w = static_cast<std::size_t>(width);
      for (std::size_t row = 0; row < 70; ++row) {
        NormCase one = c;
        one.problem.rows = 1;
        const auto cut = [&](std::vector<float>& v) {
          v = {v.begin() + static_cast<std::ptrdiff_t>(row * w),
               v.begin() + static_cast<std::ptrdiff_t>((row + 1) * w)};
        };
        cut(one.x);
        cut(one.skip);
        const Outcome alone = run(one);
        CAPTURE(row);
        CHECK(std::memcmp(alone.y.data(), &all.y[row * w], w * sizeof(float)) == 0);
        CHECK(std::memcmp(alone.sum.data(), &all.sum[row * w], w * sizeof(float)) == 0);
      }
    }
}

TEST_CASE("the residual sum is (x + skip) + bias, with or without a place to keep it, and skip may repeat",
          "[kernels]") {
  NormCase c = norm_case({.rows = 4, .width = 33}, true, 24);
  const Outcome kept = run(c);
  for (std::size_t i = 0; i < c.x.size(); ++i) CHECK(kept.sum[i] == (c.x[i] + c.skip[i]) + c.skip_bias[i % 33]);
  std::vector<float> y(c.x.size());
  auto args = c.args();
  args.y = y.data();
  kernels::norm::normalize(c.problem, args, Threads{1});
  CHECK(std::memcmp(y.data(), kept.y.data(), y.size() * sizeof(float)) == 0);
  // Two rows of skip under four of x: the same as skip written out twice.
  NormCase repeated = c;
  repeated.skip.resize(2 * 33);
  NormCase written = c;
  for (std::size_t i = 0; i < 2 * 33; ++i) written.skip[2 * 33 + i] = written.skip[i];
  CHECK(run(repeated).y == run(written).y);
}

TEST_CASE("the ordering of ONNX RMSNormalization rounds to float16 before the weight", "[kernels]") {
  NormCase c = norm_case({.rows = 1, .width = 64}, false, 25);
  for (float& g : c.gamma) g = 1.0f;
  const std::vector<float> plain = run(c).y;
  for (std::size_t i = 0; i < c.gamma.size(); ++i) c.gamma[i] = 1.0f + static_cast<float>(i) * 0.01f;
  c.problem.rounding = Rounding::f16_before_gamma;
  const std::vector<float> got = run(c).y;
  for (std::size_t i = 0; i < got.size(); ++i)
    CHECK(got[i] == core::f16_to_f32(core::f32_to_f16(plain[i])) * c.gamma[i]);
}

TEST_CASE("squares beyond float16 do not overflow, and mean and inverse are given where asked", "[kernels]") {
  NormCase c = norm_case({.rows = 1, .width = 32, .epsilon = 0.0f}, false, 26);
  for (float& v : c.x) v = 600.0f;
  for (float& g : c.gamma) g = 1.0f;
  for (const float v : run(c).y) CHECK(v == Approx(1.0).epsilon(1e-6));
  std::vector<float> y(32);
  float mean = -1, inverse = -1;
  auto args = c.args();
  args.y = y.data();
  args.mean = &mean;
  args.inverse = &inverse;
  c.problem.kind = Kind::layer;
  c.problem.epsilon = 4.0f;
  kernels::norm::normalize(c.problem, args, Threads{1});
  CHECK(mean == 600.0f);
  CHECK(inverse == 0.5f);
}

}  // namespace
