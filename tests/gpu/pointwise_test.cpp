#include <cmath>
#include <limits>

#include "kernels/activation/cuda/pointwise.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/gpu_test.hpp"

using namespace gonogo;
using namespace gonogo::tests;
using namespace gonogo::kernels::activation::cuda;
using core::DType;

namespace {

double reference(Unary f, double alpha, double x) {
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  switch (f) {
    case Unary::sigmoid:
      return sigmoid(x);
    case Unary::silu:
      return x * sigmoid(x);
    case Unary::relu:
      return std::max(x, 0.0);
    case Unary::tanh:
      return std::tanh(x);
    case Unary::gelu_erf:
      return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    case Unary::gelu_tanh:
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
    case Unary::quick_gelu:
      return x * sigmoid(alpha * x);
    case Unary::exp:
      return std::exp(x);
    case Unary::erf:
      return std::erf(x);
  }
  return 0;
}

double reference(Binary op, double a, double b) {
  return op == Binary::add ? a + b : op == Binary::sub ? a - b : op == Binary::mul ? a * b : a / b;
}

/// Float32 steps of a few units each, on numbers up to |x|, then the type's rounding.
double bound_of(DType type, double x, double want) {
  const double steps = std::ldexp(16 * (std::abs(want) + std::abs(x)), -24);
  return steps + half_ulp(type, std::abs(want) + steps);
}

void check(DType type, const Bytes& got, const std::vector<double>& want, const std::vector<double>& bound) {
  const std::vector<double> values = decode(type, got);
  const Difference difference = compare(values, want, bound);
  CAPTURE(core::name_of(type), difference.text);
  CHECK(difference.non_finite == 0);
  CHECK(difference.worst_ratio <= 1.0);
  std::vector<double> shifted = want;  // the control: every element in its neighbour's place
  std::rotate(shifted.begin(), shifted.begin() + 1, shifted.end());
  CHECK(compare(values, shifted, bound).worst_ratio > 1.0);
}

}  // namespace

TEST_CASE("unary operations agree with the double reference, with and without a bias", "[gpu][pointwise]") {
  if (!gpu_ready()) return;
  const core::Stream stream;
  for (const DType type : {DType::f16, DType::bf16, DType::f32})
    for (const Unary f : {Unary::sigmoid, Unary::silu, Unary::relu, Unary::tanh, Unary::gelu_erf, Unary::gelu_tanh,
                          Unary::quick_gelu, Unary::exp, Unary::erf})
      for (const std::size_t period : {std::size_t{0}, std::size_t{7}}) {
        const std::size_t count = 301;
        const std::vector<double> x = normals(type, count, 3.0, 4);
        const std::vector<double> bias = normals(type, period, 1.0, 5);
        const DeviceArray from(encode(type, x), stream), more(encode(type, bias), stream);
        DeviceArray y(from.size(), stream);
        UnaryArgs args{.x = from.data(), .y = y.data(), .count = count, .alpha = 1.702f};
        if (period > 0) args.bias = more.data(), args.period = static_cast<std::int64_t>(period);
        std::vector<double> want, bound;
        for (std::size_t i = 0; i < count; ++i) {
          const double in = x[i] + (period > 0 ? bias[i % period] : 0.0);
          want.push_back(reference(f, args.alpha, in));
          bound.push_back(bound_of(type, in, want.back()));
        }
        CAPTURE(static_cast<int>(f), period);
        check(type, run_all_ways(stream, y, [&] { unary(f, type, args, stream); }), want, bound);
      }
}

TEST_CASE("activations keep NaN and the limits at infinity", "[gpu][pointwise]") {
  if (!gpu_ready()) return;
  const core::Stream stream;
  const double infinity = std::numeric_limits<double>::infinity();
  const DeviceArray x(encode(DType::f32, {std::nan(""), infinity, -infinity, -100.0}), stream);
  const DeviceArray y(x.size(), stream);
  for (const Unary f : {Unary::relu, Unary::sigmoid, Unary::silu}) {
    unary(f, DType::f32, x.data(), y.data(), 4, stream);
    const std::vector<double> got = decode(DType::f32, y.download());
    CHECK(std::isnan(got[0]));
    CHECK(got[1] == (f == Unary::sigmoid ? 1.0 : infinity));
    CHECK(std::abs(got[3]) < 1e-30);
  }
}

TEST_CASE("binary operations agree with the double reference for equal shapes, a bias per row and a scalar",
          "[gpu][pointwise]") {
  if (!gpu_ready()) return;
  const core::Stream stream;
  for (const DType type : {DType::f16, DType::bf16, DType::f32})
    for (const Binary op : {Binary::add, Binary::sub, Binary::mul, Binary::div})
      for (const std::int64_t period : {1, 3, 8, 24, 312, 360}) {
        const std::int64_t count = period == 312 ? 312 : 360;
        const std::vector<double> a = normals(type, static_cast<std::size_t>(count), 1.0, 4);
        std::vector<double> b = normals(type, static_cast<std::size_t>(period), 1.0, 5);
        for (double& v : b) v = decode(type, encode(type, {v < 0 ? v - 0.5 : v + 0.5}))[0];
        const DeviceArray left(encode(type, a), stream), right(encode(type, b), stream);
        DeviceArray y(left.size(), stream);
        std::vector<double> want, bound;
        for (std::size_t i = 0; i < a.size(); ++i) {
          want.push_back(reference(op, a[i], b[i % b.size()]));
          bound.push_back(std::ldexp(std::abs(want.back()), -23) + half_ulp(type, want.back() * 1.001));
        }
        CAPTURE(static_cast<int>(op), period);
        const BinaryArgs args{left.data(), right.data(), y.data(), count, period};
        check(type, run_all_ways(stream, y, [&] { binary(op, type, args, stream); }), want, bound);
      }
}

TEST_CASE("binary operations broadcast any dimension of either side and keep integers exact", "[gpu][pointwise]") {
  if (!gpu_ready()) return;
  const core::Stream stream;
  // [2, 3, 4] op [3, 1]: the right side repeats over the first and the last dimension.
  const Broadcast shape{3, {2, 3, 4}, {12, 4, 1}, {0, 1, 0}};
  std::vector<std::int64_t> a, want;
  const std::vector<std::int64_t> b{7, -2, std::int64_t{1} << 40};
  for (std::int64_t i = 0; i < 24; ++i) a.push_back((i - 5) * 1'000'000'007);
  for (std::size_t i = 0; i < 24; ++i) want.push_back(a[i] / b[i / 4 % 3]);
  const DeviceArray left(bytes_of_vector(a), stream), right(bytes_of_vector(b), stream);
  DeviceArray y(left.size(), stream);
  const BinaryArgs args{left.data(), right.data(), y.data()};
  CHECK(run_all_ways(stream, y, [&] { binary(Binary::div, DType::i64, shape, args, stream); }) ==
        bytes_of_vector(want));

  // A dense left side and a right side that repeats over leading dimensions, or not at all: a bias per row, a scalar.
  struct Form {
    Broadcast shape;
    std::size_t period;
  };
  const std::vector<double> x = normals(DType::f16, 24, 1.0, 4);
  for (const Form& form :
       {Form{{3, {2, 3, 4}, {12, 4, 1}, {0, 4, 1}}, 12}, Form{{3, {2, 3, 4}, {12, 4, 1}, {0, 0, 1}}, 4},
        Form{{3, {2, 3, 4}, {12, 4, 1}, {0, 0, 0}}, 1}, Form{{2, {1, 24}, {0, 1}, {0, 1}}, 24}}) {
    const std::vector<double> repeated = normals(DType::f16, form.period, 1.0, 5);
    const DeviceArray on_x(encode(DType::f16, x), stream), on_y(encode(DType::f16, repeated), stream);
    DeviceArray sum(on_x.size(), stream);
    std::vector<double> sums;
    for (std::size_t i = 0; i < 24; ++i)
      sums.push_back(static_cast<double>(static_cast<float>(x[i] + repeated[i % form.period])));
    const BinaryArgs operands{on_x.data(), on_y.data(), sum.data()};
    CHECK(run_all_ways(stream, sum, [&] { binary(Binary::add, DType::f16, form.shape, operands, stream); }) ==
          encode(DType::f16, sums));
  }

  const std::vector<std::int32_t> small{5, std::numeric_limits<std::int32_t>::min(), 9}, by{0, -1, 2};
  const DeviceArray dividend(bytes_of_vector(small), stream), divisor(bytes_of_vector(by), stream);
  DeviceArray quotient(dividend.size(), stream);
  const BinaryArgs integers{dividend.data(), divisor.data(), quotient.data(), 3, 3};
  CHECK(run_all_ways(stream, quotient, [&] { binary(Binary::div, DType::i32, integers, stream); }) ==
        bytes_of_vector(std::vector<std::int32_t>{0, std::numeric_limits<std::int32_t>::min(), 4}));
}

TEST_CASE("swiglu agrees with the double reference for dense and packed gate and up", "[gpu][pointwise]") {
  if (!gpu_ready()) return;
  const core::Stream stream;
  for (const DType type : {DType::f16, DType::bf16, DType::f32})
    for (const std::int64_t width : {8, 19, 136})
      for (const bool packed : {false, true}) {
        const std::int64_t rows = 3;
        const std::int64_t stride = packed ? 2 * width : width;
        const std::vector<double> all = normals(type, static_cast<std::size_t>(rows * 2 * width), 2.0, 3);
        const DeviceArray both(encode(type, all), stream);
        const std::int64_t up_at = packed ? width : rows * width;
        DeviceArray y(core::bytes_of(type, rows * width), stream);
        const SwigluArgs args{both.data(), both.data() + core::bytes_of(type, up_at), y.data(), rows, width, stride};
        std::vector<double> want, bound;
        for (std::int64_t row = 0; row < rows; ++row)
          for (std::int64_t i = 0; i < width; ++i) {
            const double gate = all[static_cast<std::size_t>(row * stride + i)];
            const double up = all[static_cast<std::size_t>(up_at + row * stride + i)];
            want.push_back(reference(Unary::silu, 0, gate) * up);
            bound.push_back(bound_of(type, 0.0, want.back()));
          }
        CAPTURE(width, packed);
        check(type, run_all_ways(stream, y, [&] { swiglu(type, args, stream); }), want, bound);
      }
}

TEST_CASE("casts round floats to nearest even, clamp to integers and keep integers", "[gpu][pointwise]") {
  if (!gpu_ready()) return;
  const core::Stream stream;
  const std::vector<double> values = normals(DType::f32, 65, 100.0, 3);
  const Bytes f32 = encode(DType::f32, values);
  for (const DType to : {DType::f16, DType::bf16, DType::f32}) {
    const DeviceArray from(f32, stream);
    DeviceArray y(core::bytes_of(to, 65), stream);
    CHECK(run_all_ways(stream, y, [&] { cast(DType::f32, from.data(), to, y.data(), 65, stream); }) ==
          encode(to, values));
  }
  const double nan = std::nan("");
  const DeviceArray floats(encode(DType::f32, {1.9, -1.9, 0x1p34, -0x1p34, nan, 0.0}), stream);
  const DeviceArray ints(6 * 4, stream), longs(6 * 8, stream), flags(6, stream), back(6 * 2, stream);
  cast(DType::f32, floats.data(), DType::i32, ints.data(), 6, stream);
  cast(DType::f32, floats.data(), DType::i64, longs.data(), 6, stream);
  cast(DType::f32, floats.data(), DType::boolean, flags.data(), 6, stream);
  constexpr auto kMost = std::numeric_limits<std::int32_t>::max();
  CHECK(ints.download() == bytes_of_vector(std::vector<std::int32_t>{1, -1, kMost, -kMost - 1, 0, 0}));
  CHECK(longs.download() == bytes_of_vector(std::vector<std::int64_t>{1, -1, 17179869184, -17179869184, 0, 0}));
  CHECK(flags.download() == bytes_of_vector(std::vector<std::uint8_t>{1, 1, 1, 1, 1, 0}));
  cast(DType::i64, longs.data(), DType::f16, back.data(), 2, stream);
  CHECK(decode(DType::f16, back.download())[1] == -1.0);
  CHECK(to_string(cast_eligible(DType::u4, DType::f32).reason()) ==
        "type to cast, one of: wanted float32, float16, bfloat16, int32, int64, bool, got uint4");
}

TEST_CASE("rows are copied between strides and nothing between them is touched", "[gpu][pointwise]") {
  if (!gpu_ready()) return;
  const core::Stream stream;
  for (const std::int64_t width : {1, 6, 32}) {
    Bytes content(5 * 48);
    for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<std::byte>(i * 7 + 1);
    const DeviceArray from(content, stream);
    DeviceArray to(5 * 64, stream);
    Bytes want(5 * 64, std::byte{0xff});
    for (std::int64_t row = 0; row < 5; ++row) std::copy_n(content.begin() + row * 48, width, want.begin() + row * 64);
    CHECK(run_all_ways(stream, to, [&] { copy_rows({from.data(), to.data(), 5, width, 48, 64}, stream); }) == want);
  }
}

TEST_CASE("elementwise operations on nothing launch nothing", "[gpu][pointwise]") {
  if (!gpu_ready()) return;
  const core::Stream stream;
  unary(Unary::relu, DType::f16, nullptr, nullptr, 0, stream);
  binary(Binary::add, DType::f16, BinaryArgs{}, stream);
  swiglu(DType::f16, {}, stream);
  cast(DType::f16, nullptr, DType::f32, nullptr, 0, stream);
  CHECK_NOTHROW(stream.ref().synchronize());
  CHECK_THROWS(binary(Binary::add, DType::f16, BinaryArgs{nullptr, nullptr, nullptr, 5, 2}, stream));
}
