#include <cmath>

#include "kernels/norm/cuda/norm.hpp"
#include "kernels/reference/norm.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/gpu_test.hpp"

using namespace gonogo;
using namespace gonogo::tests;
using namespace gonogo::kernels::norm::cuda;
using core::DType;
using kernels::Overlap;

namespace {

struct Case {
  Problem problem;
  kernels::reference::NormCase reference;  // float32, the same numbers
  Bytes x, skip, bias, gamma, beta;
};

DType gamma_type(const Problem& p) { return p.f32_gamma ? DType::f32 : p.type; }
DType output_type(const Problem& p) { return p.f32_output ? DType::f32 : p.type; }

Case make_case(const Problem& p, unsigned seed) {
  Case c;
  c.problem = p;
  const auto draw = [&seed](DType type, std::int64_t count, double sigma, std::vector<float>& to) {
    const std::vector<double> values = normals(type, static_cast<std::size_t>(count), sigma, ++seed);
    to.assign(values.begin(), values.end());
    return encode(type, values);
  };
  kernels::reference::NormCase& r = c.reference;
  r.problem = {.rows = p.rows, .width = p.hidden, .epsilon = p.epsilon};
  r.problem.kind = p.kind == Kind::layer ? kernels::norm::Kind::layer : kernels::norm::Kind::rms;
  c.x = draw(p.type, p.rows * p.hidden, 1.5, r.x);
  c.gamma = draw(gamma_type(p), p.hidden, 1.0, r.gamma);
  if (p.beta) c.beta = draw(gamma_type(p), p.hidden, 1.0, r.beta);
  if (p.skip) {
    c.skip = draw(p.type, (p.skip_rows != 0 ? p.skip_rows : p.rows) * p.hidden, 1.0, r.skip);
    r.skip_bias.assign(static_cast<std::size_t>(p.hidden), 0.0f);
    if (p.skip_bias) c.bias = draw(p.type, p.hidden, 0.5, r.skip_bias);
  }
  return c;
}

struct Results {
  Bytes y, sum, mean, inverse;
};

Results run(const Case& c, bool staging, Overlap overlap = Overlap::off) {
  const core::Stream stream;
  const Problem& p = c.problem;
  const DeviceArray x(c.x, stream), skip(c.skip, stream), bias(c.bias, stream), gamma(c.gamma, stream),
      beta(c.beta, stream);
  DeviceArray y(core::bytes_of(output_type(p), p.rows * p.hidden), stream);
  const DeviceArray sum(p.sum_output ? c.x.size() : 0, stream);
  const DeviceArray statistics(static_cast<std::size_t>(p.rows) * 8, stream);
  const DeviceArray workspace(staged_workspace_bytes(p), stream);
  Args args{x.data(), skip.data(), bias.data(), gamma.data(), y.data(), sum.data(), beta.data()};
  args.mean = statistics.as<float>();
  args.inverse = args.mean + p.rows;
  args.overlap = overlap;
  Results results;
  results.y =
      run_all_ways(stream, y, [&] { staging ? staged(p, args, workspace.data(), stream) : fused(p, args, stream); });
  for (const DeviceArray* array : {&sum, &statistics, &workspace}) CHECK(array->guards_intact());
  results.sum = sum.download();
  const Bytes both = statistics.download();
  const auto middle = both.begin() + static_cast<std::ptrdiff_t>(both.size() / 2);
  results.mean.assign(both.begin(), middle);
  results.inverse.assign(middle, both.end());
  return results;
}

/// The reference's bound, the rounding before gamma where asked, and the output's rounding.
std::vector<double> bounds(const Case& c, const kernels::reference::NormExpected& want) {
  const Problem& p = c.problem;
  std::vector<double> bound = want.bound;
  for (std::size_t i = 0; i < bound.size(); ++i) {
    const std::size_t column = i % static_cast<std::size_t>(p.hidden);
    const double gamma = c.reference.gamma[column];
    const double beta = c.reference.beta.empty() ? 0.0 : static_cast<double>(c.reference.beta[column]);
    if (p.round_before_gamma && gamma != 0)
      bound[i] += std::abs(gamma) * half_ulp(p.type, (std::abs(want.value[i] - beta) + bound[i]) / std::abs(gamma));
    bound[i] += half_ulp(output_type(p), std::abs(want.value[i]) + bound[i]);
  }
  return bound;
}

void check_sum(const Case& c, const Bytes& sum) {
  const Problem& p = c.problem;
  const kernels::reference::NormCase& r = c.reference;
  std::vector<double> want, bound;
  for (std::size_t i = 0; i < r.x.size(); ++i) {
    const double x = r.x[i];
    const double skip = r.skip.empty() ? 0.0 : static_cast<double>(r.skip[i % r.skip.size()]);
    const double bias = r.skip_bias.empty() ? 0.0 : static_cast<double>(r.skip_bias[i % r.skip_bias.size()]);
    want.push_back(x + skip + bias);
    bound.push_back(std::ldexp(2 * (std::abs(x) + std::abs(skip) + std::abs(bias)), -24));
    bound.back() += half_ulp(p.type, std::abs(want.back()) + bound.back());
  }
  const Difference difference = compare(decode(p.type, sum), want, bound);
  CAPTURE(difference.text);
  CHECK(difference.non_finite == 0);
  CHECK(difference.worst_ratio <= 1.0);
}

void check(const Problem& p, bool staging) {
  const Case c = make_case(p, 31);
  const Results got = run(c, staging);
  const auto want = norm_expected(c.reference);
  const std::vector<double> y = decode(output_type(p), got.y);
  const Difference difference = compare(y, want.value, bounds(c, want));
  CAPTURE(p.rows, p.hidden, core::name_of(p.type), staging, difference.text);
  CHECK(difference.non_finite == 0);
  CHECK(difference.worst_ratio <= 1.0);
  if (p.sum_output) check_sum(c, got.sum);
  for (const double mean : decode(DType::f32, got.mean)) CHECK((p.kind == Kind::layer) == (mean != 0.0));
  for (const double inverse : decode(DType::f32, got.inverse)) CHECK(inverse > 0.0);

  Case wrong = c;
  std::size_t largest = 0;
  for (std::size_t i = 0; i < wrong.reference.x.size(); ++i)
    if (std::abs(want.value[i]) > std::abs(want.value[largest])) largest = i;
  wrong.reference.x[largest] += 0.25f * std::abs(wrong.reference.x[largest]) + 0.25f;
  const auto other = norm_expected(wrong.reference);
  CHECK(compare(y, other.value, bounds(wrong, other)).worst_ratio > 1.0);
}

}  // namespace

TEST_CASE("norms agree with the double reference for widths around every unit and block", "[gpu][norm]") {
  if (!gpu_ready()) return;
  int checked = 0;
  for (const std::int64_t hidden : {8, 17, 64, 172, 1016, 1024, 1032, 4096, 5120, 9000})
    for (const DType type : {DType::f16, DType::bf16, DType::f32})
      for (const Kind kind : {Kind::rms, Kind::layer}) {
        Problem p;
        p.rows = hidden > 4000 ? 1 : 3;
        p.hidden = hidden;
        p.type = type;
        p.kind = kind;
        p.skip = (hidden / 8 + checked) % 2 == 0;
        p.skip_bias = p.skip && checked % 4 < 2;
        p.sum_output = p.skip && checked % 3 != 0;
        p.beta = kind == Kind::layer;
        check(p, false);
        if (!kEmulated || hidden < 2000) check(p, true);
        ++checked;
      }
  CHECK(checked == 60);
}

TEST_CASE("norms honour float32 weights, float32 results, a repeated skip and the rounding before gamma",
          "[gpu][norm]") {
  if (!gpu_ready()) return;
  for (const DType type : {DType::f16, DType::bf16})
    for (const std::int64_t hidden : {45, 128})
      for (int form = 0; form < 16; ++form) {
        Problem p;
        p.rows = 4;
        p.hidden = hidden;
        p.type = type;
        p.kind = form == 15 ? Kind::layer : Kind::rms;
        p.f32_gamma = form % 2 == 1;
        p.f32_output = form / 2 % 2 == 1;
        p.round_before_gamma = form / 4 % 2 == 1;
        p.skip = form >= 8;
        p.skip_rows = form >= 8 ? 2 : 0;
        p.beta = form == 15;
        for (const bool staging : {false, true}) check(p, staging);
      }
}

TEST_CASE("row r of a norm has the same bits for every number of rows", "[gpu][norm]") {
  if (!gpu_ready()) return;
  for (const std::int64_t hidden : {100, 5120}) {
    Problem p;
    p.rows = 9;
    p.hidden = hidden;
    p.skip = true;
    p.sum_output = true;
    const Case whole = make_case(p, 3);
    const Results together = run(whole, false);
    for (const std::int64_t row : {0, 4, 8}) {
      Case one = whole;
      one.problem.rows = 1;
      const auto width = static_cast<std::ptrdiff_t>(hidden * 2);
      const auto cut = [&](const Bytes& rows) {
        return Bytes(rows.begin() + row * width, rows.begin() + (row + 1) * width);
      };
      one.x = cut(whole.x);
      one.skip = cut(whole.skip);
      const Results alone = run(one, false);
      CHECK(alone.y == cut(together.y));
      CHECK(alone.sum == cut(together.sum));
    }
  }
}

TEST_CASE("a norm may be written over its input and over its skip", "[gpu][norm]") {
  if (!gpu_ready()) return;
  for (const std::int64_t hidden : {45, 256})
    for (const bool staging : {false, true}) {
      Problem p;
      p.rows = 2;
      p.hidden = hidden;
      p.skip = p.sum_output = true;
      const Case c = make_case(p, 8);
      const Results apart = run(c, staging);
      const core::Stream stream;
      const DeviceArray x(c.x, stream), skip(c.skip, stream), gamma(c.gamma, stream);
      const DeviceArray workspace(staged_workspace_bytes(p), stream);
      Args args{x.data(), skip.data(), nullptr, gamma.data(), x.data(), skip.data()};
      staging ? staged(p, args, workspace.data(), stream) : fused(p, args, stream);
      CHECK(x.download() == apart.y);
      CHECK(skip.download() == apart.sum);
    }
}

TEST_CASE("programmatic launches of the norms give the same bits as plain ones", "[gpu][norm]") {
  if (!gpu_ready()) return;
  Problem p;
  p.rows = 3;
  p.hidden = 4096;
  for (const bool staging : {false, true}) {
    const Case c = make_case(p, 4);
    CHECK(run(c, staging, Overlap::off).y == run(c, staging, Overlap::with_previous).y);
  }
}

TEST_CASE("a norm that the kernels cannot take is refused with rule, wanted and got", "[gpu][norm]") {
  if (!gpu_ready()) return;
  Problem p;
  p.rows = 4;
  p.hidden = 8;
  p.skip_rows = 3;
  CHECK(to_string(eligible(p).reason()) == "rows, a multiple of the skip's: wanted 3, got 4");
  p.skip_rows = 0;
  p.type = DType::i32;
  CHECK(to_string(eligible(p).reason()) == "type, one of: wanted float32, float16, bfloat16, got int32");
}
