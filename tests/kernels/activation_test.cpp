#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/activation/activation.hpp"
#include "kernels/activation/binary.hpp"
#include "tests/catch.hpp"
#include "tests/kernels/guarded.hpp"

namespace {

using namespace gonogo;
using kernels::Threads;
using kernels::activation::Binary;
using kernels::activation::Unary;

constexpr double kU = 0x1p-24;

std::vector<float> run(Unary f, const std::vector<float>& x, float alpha = 0.0f, int threads = 1) {
  const tests::Guarded<float> y(x.size());
  kernels::activation::apply(f, alpha, x.data(), y.data(), static_cast<std::int64_t>(x.size()), Threads{threads});
  CHECK(y.guard_intact());
  return y.values();
}

/// Finite float32 values of every sign and exponent: each 4099th bit pattern.
std::vector<float> everywhere() {
  std::vector<float> x;
  for (std::uint64_t bits = 0; bits < 0x100000000ull; bits += 4099)
    if (const float v = std::bit_cast<float>(static_cast<std::uint32_t>(bits)); std::isfinite(v)) x.push_back(v);
  return x;
}

/// The worst |got - exact| / bound(x, exact).
template <class Bound>
double worst(Unary f, float alpha, const std::vector<float>& x, Bound bound) {
  const std::vector<float> got = run(f, x, alpha);
  double ratio = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double exact = kernels::activation::reference(f, alpha, x[i]);
    if (std::isinf(static_cast<float>(exact)) && got[i] == static_cast<float>(exact)) continue;
    const double r = std::abs(got[i] - exact) / bound(static_cast<double>(x[i]), exact);
    if (!(r <= ratio)) ratio = r;
  }
  return ratio;
}

TEST_CASE("vectorised exp, tanh, erf and sigmoid keep their stated bounds over all float32 values", "[kernels]") {
  const std::vector<float> x = everywhere();
  CHECK(x.size() > 1000000);
  const auto exp_bound = [](double, double exact) { return 4 * kU * exact + 0x1p-149; };
  const auto tanh_bound = [](double, double exact) { return 10 * kU * std::abs(exact) + 0x1p-149; };
  const auto erf_bound = [](double, double) { return 2.5e-7; };
  const auto sigmoid_bound = [](double, double exact) { return 8 * kU * exact + 0x1p-126; };
  CHECK(worst(Unary::exp, 0, x, exp_bound) <= 1.0);
  CHECK(worst(Unary::tanh, 0, x, tanh_bound) <= 1.0);
  CHECK(worst(Unary::erf, 0, x, erf_bound) <= 1.0);
  CHECK(worst(Unary::sigmoid, 0, x, sigmoid_bound) <= 1.0);
  // The bounds are no wider than twice what is needed for a value two or three steps away to break them.
  CHECK(worst(Unary::exp, 0, x, [&](double at, double exact) { return exp_bound(at, exact) / 8; }) > 1.0);
  CHECK(worst(Unary::tanh, 0, x, [&](double at, double exact) { return tanh_bound(at, exact) / 8; }) > 1.0);
  CHECK(worst(Unary::erf, 0, x, [&](double at, double exact) { return erf_bound(at, exact) / 8; }) > 1.0);
  CHECK(worst(Unary::sigmoid, 0, x, [&](double at, double exact) { return sigmoid_bound(at, exact) / 8; }) > 1.0);
}

TEST_CASE("exp is exact at its ends and keeps NaN", "[kernels]") {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> got =
      run(Unary::exp, {0.0f, -0.0f, 88.8f, infinity, -105.0f, -infinity, std::numeric_limits<float>::quiet_NaN()});
  CHECK(got[0] == 1.0f);
  CHECK(got[1] == 1.0f);
  CHECK(got[2] == infinity);
  CHECK(got[3] == infinity);
  CHECK(got[4] == 0.0f);
  CHECK(got[5] == 0.0f);
  CHECK(std::isnan(got[6]));
}

TEST_CASE("the Gelu family and SiLU stay within a few roundings of the double reference", "[kernels]") {
  std::vector<float> x;
  for (int i = -40000; i <= 40000; ++i) x.push_back(static_cast<float>(i) * 2.5e-4f);
  CHECK(worst(Unary::gelu_erf, 0, x,
              [](double at, double exact) { return std::abs(at) * 1.5e-7 + 8 * kU * std::abs(exact); }) <= 1.0);
  // A wrong inner argument of 10 u moves tanh by at most 20 u there, and 1 + tanh cancels for negative x: absolute in
  // x.
  CHECK(worst(Unary::gelu_tanh, 0, x,
              [](double at, double exact) { return 16 * kU * std::abs(at) + 8 * kU * std::abs(exact); }) <= 1.0);
  for (const float alpha : {1.0f, 1.702f}) {
    // The argument alpha x carries half an ulp, worth |alpha x| u of the sigmoid.
    const auto bound = [alpha](double at, double exact) {
      return (12 + std::abs(alpha * at)) * kU * std::abs(exact) + 0x1p-126;
    };
    CHECK(worst(Unary::quick_gelu, alpha, x, bound) <= 1.0);
    CHECK(worst(Unary::quick_gelu, alpha, x, [&](double at, double exact) { return bound(at, exact) / 16; }) > 1.0);
  }
  for (const float v : run(Unary::relu, {-1.0f, -0.0f, 0.0f})) CHECK(v == 0.0f);
  CHECK(run(Unary::relu, {2.5f})[0] == 2.5f);
  CHECK(std::isnan(run(Unary::relu, {std::numeric_limits<float>::quiet_NaN()})[0]));
}

TEST_CASE("a value does not depend on its place or on the threads", "[kernels]") {
  std::vector<float> x(70001);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 977) * 0.01f - 5.0f;
  for (const Unary f : {Unary::sigmoid, Unary::tanh, Unary::gelu_erf, Unary::gelu_tanh}) {
    const std::vector<float> one = run(f, x), five = run(f, x, 0.0f, 5);
    CHECK(std::memcmp(one.data(), five.data(), one.size() * sizeof(float)) == 0);
    for (std::size_t count = 1; count < 70; ++count) {
      const std::vector<float> few = run(f, {x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count)});
      if (std::memcmp(few.data(), one.data(), count * sizeof(float)) != 0) FAIL("count " << count);
    }
  }
}

TEST_CASE("SwiGlu has the bits of Sigmoid, Mul and Mul", "[kernels]") {
  for (const std::int64_t count : {1, 15, 16, 17, 100, 40003}) {
    std::vector<float> gate(static_cast<std::size_t>(count)), up(gate.size());
    for (std::size_t i = 0; i < gate.size(); ++i)
      gate[i] = static_cast<float>(i % 371) * 0.07f - 12.0f, up[i] = static_cast<float>(i % 53) * 0.3f - 7.0f;
    const std::vector<float> sigmoid = run(Unary::sigmoid, gate);
    const tests::Guarded<float> y(gate.size());
    kernels::activation::swiglu(gate.data(), up.data(), y.data(), count, Threads{3});
    CHECK(y.guard_intact());
    for (std::size_t i = 0; i < gate.size(); ++i) {
      const float silu = gate[i] * sigmoid[i];
      const float want = silu * up[i];
      if (std::bit_cast<std::uint32_t>(y.data()[i]) != std::bit_cast<std::uint32_t>(want))
        FAIL("element " << i << " of " << count);
    }
  }
}

TEST_CASE("binary operators broadcast as NumPy does", "[kernels]") {
  using core::Shape;
  const std::vector<std::pair<Shape, Shape>> pairs = {
      {{3, 5}, {3, 5}}, {{3, 5}, {5}}, {{5}, {3, 5}}, {{2, 3, 5}, {3, 1}},          {{2, 1, 5}, {1, 3, 1}},
      {{}, {4}},        {{4}, {}},     {{}, {}},      {{2, 3, 4, 5}, {2, 1, 4, 1}}, {{1, 1}, {1}},
      {{2, 1}, {1, 3}}, {{0, 3}, {3}}};
  for (const auto& [a_shape, b_shape] : pairs) {
    const auto shape = kernels::activation::broadcast(a_shape, b_shape);
    REQUIRE(shape.has_value());
    std::vector<float> a(static_cast<std::size_t>(core::count_of(a_shape))),
        b(static_cast<std::size_t>(core::count_of(b_shape)));
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i) + 1.0f;
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = 100.0f * static_cast<float>(i) + 7.0f;
    const auto count = static_cast<std::size_t>(core::count_of(*shape));
    const tests::Guarded<float> y(count);
    kernels::activation::apply(Binary::sub, kernels::activation::walk_of(a_shape, b_shape), a.data(), b.data(),
                               y.data(), Threads{2});
    CHECK(y.guard_intact());
    // The index of an output element in an operand, by its coordinates.
    const auto at = [&](const Shape& operand, std::size_t index) {
      std::int64_t offset = 0, stride = 1;
      auto left = static_cast<std::int64_t>(index);
      for (std::size_t d = shape->size(); d-- > 0;) {
        const std::int64_t coordinate = left % (*shape)[d];
        left /= (*shape)[d];
        if (d + operand.size() < shape->size()) continue;
        const std::int64_t extent = operand[d + operand.size() - shape->size()];
        offset += extent == 1 ? 0 : coordinate * stride;
        stride *= extent;
      }
      return static_cast<std::size_t>(offset);
    };
    for (std::size_t i = 0; i < count; ++i) {
      CAPTURE(core::to_string(a_shape), core::to_string(b_shape), i);
      CHECK(y.data()[i] == a[at(a_shape, i)] - b[at(b_shape, i)]);
    }
  }
  CHECK_FALSE(kernels::activation::broadcast({3, 4}, {3}).has_value());
}

TEST_CASE("integer arithmetic wraps and division truncates", "[kernels]") {
  const auto apply = [](Binary op, std::int32_t a, std::int32_t b) {
    std::int32_t y = 0;
    kernels::activation::apply(op, kernels::activation::walk_of({1}, {1}), &a, &b, &y, Threads{1});
    return y;
  };
  CHECK(apply(Binary::add, std::numeric_limits<std::int32_t>::max(), 1) == std::numeric_limits<std::int32_t>::min());
  CHECK(apply(Binary::sub, 5, 7) == -2);
  CHECK(apply(Binary::mul, -3, 7) == -21);
  CHECK(apply(Binary::div, -7, 2) == -3);
}

}  // namespace
