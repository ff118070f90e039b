#include <cmath>

#include "tests/catch.hpp"
#include "tests/ops/op_runner.hpp"

namespace {

using namespace gonogo;
using core::DType;
using tests::Runner;
using tests::Value;
using tests::varied;

TEST_CASE("SwiGlu has the bits of Sigmoid, Mul and Mul in float32 and in float16", "[ops]") {
  for (const DType type : {DType::f32, DType::f16}) {
    std::vector<Value> inputs = {varied(type, {2, 3, 45}, 1), varied(type, {2, 3, 45}, 2)};
    for (std::size_t i = 0; i < inputs[0].count(); ++i) inputs[0].set(i, inputs[0].at(i) * 6.0f);
    const Value fused = Runner("gonogo", "SwiGlu").run(inputs)[0];
    std::vector<Value> gate = {inputs[0]};
    std::vector<Value> silu = {inputs[0], Runner("", "Sigmoid").run(gate)[0]};
    std::vector<Value> last = {Runner("", "Mul").run(silu)[0], inputs[1]};
    CHECK(fused.bytes == Runner("", "Mul").run(last)[0].bytes);
  }
}

TEST_CASE("a float16 result is the float32 result rounded once", "[ops]") {
  std::vector<Value> half = {varied(DType::f16, {3, 40}, 1), varied(DType::f16, {40}, 2)};
  for (const char* op : {"Add", "Sub", "Mul", "Div"}) {
    const Value got = Runner("", op).run(half)[0];
    CHECK(got.shape == core::Shape{3, 40});
    for (std::size_t i = 0; i < got.count(); ++i) {
      const double a = half[0].at(i), b = half[1].at(i % 40);
      const double exact = *op == 'A' ? a + b : *op == 'S' ? a - b : *op == 'M' ? a * b : a / b;
      CHECK(got.at(i) == core::f16_to_f32(core::f32_to_f16(static_cast<float>(exact))));
    }
  }
}

TEST_CASE("the mask sub-graph's integers are subtracted and cast", "[ops]") {
  std::vector<Value> sub = {tests::integers<std::int64_t>({2}, {5, 9}), tests::integers<std::int64_t>({1}, {1})};
  std::vector<Value> lengths = {Runner("", "Sub").run(sub)[0]};
  Runner cast("", "Cast");
  cast.node.attributes["to"] = std::int64_t{6};
  const Value got = cast.run(lengths)[0];
  CHECK(got.dtype == DType::i32);
  CHECK(reinterpret_cast<const std::int32_t*>(got.bytes.data())[0] == 4);
  CHECK(reinterpret_cast<const std::int32_t*>(got.bytes.data())[1] == 8);
}

TEST_CASE("casts between the four types keep values and refuse what has no value", "[ops]") {
  const auto cast = [](Value from, DType to) {
    Runner runner("", "Cast");
    runner.node.attributes["to"] = static_cast<std::int64_t>(to);
    std::vector<Value> inputs = {std::move(from)};
    return runner.run(inputs)[0];
  };
  const Value ints = tests::integers<std::int32_t>({3}, {-7, 0, 2049});
  const Value half = cast(ints, DType::f16);
  CHECK(half.at(0) == -7.0f);
  CHECK(half.at(2) == 2048.0f);  // to even
  Value reals = tests::make_value(DType::f32, {3});
  for (const auto& [i, v] : {std::pair<std::size_t, float>{0, -2.75f}, {1, 3.99f}, {2, 1e9f}}) reals.set(i, v);
  const Value wide = cast(reals, DType::i64);
  CHECK(reinterpret_cast<const std::int64_t*>(wide.bytes.data())[0] == -2);
  CHECK(reinterpret_cast<const std::int64_t*>(wide.bytes.data())[1] == 3);
  CHECK(reinterpret_cast<const std::int64_t*>(wide.bytes.data())[2] == 1000000000);
  Runner runner("", "Cast");
  runner.node.attributes["to"] = std::int64_t{6};
  for (const float bad : {3e9f, -3e9f, NAN, INFINITY}) {
    reals.set(1, bad);
    CHECK(runner.refusal({reals}).find("float to cast to an integer, within") != std::string::npos);
  }
  runner.node.attributes["to"] = std::int64_t{16};
  CHECK(runner.refusal({ints}).find("type to cast to, one of: wanted float32, float16, int32, int64, got bfloat16") !=
        std::string::npos);
}

TEST_CASE("FastGelu adds its bias first, and Swish of alpha 1 is SiLU", "[ops]") {
  std::vector<Value> with_bias = {varied(DType::f32, {2, 24}, 1), varied(DType::f32, {24}, 2)};
  std::vector<Value> summed = {Runner("", "Add").run(with_bias)[0]};
  CHECK(Runner("com.microsoft", "FastGelu").run(with_bias)[0].bytes ==
        Runner("com.microsoft", "FastGelu").run(summed)[0].bytes);
  std::vector<Value> silu = {summed[0], Runner("", "Sigmoid").run(summed)[0]};
  CHECK(Runner("", "Swish").run(summed)[0].bytes == Runner("", "Mul").run(silu)[0].bytes);
}

TEST_CASE("elementwise operators refuse operands that do not fit, by name", "[ops]") {
  CHECK(Runner("", "Add")
            .refusal({varied(DType::f32, {2, 3}, 1), varied(DType::f32, {4}, 1)})
            .find("shapes of the operands: wanted that broadcast, got [2, 3] and [4]") != std::string::npos);
  CHECK(Runner("", "Mul")
            .refusal({varied(DType::f32, {2}, 1), varied(DType::f16, {2}, 1)})
            .find("types of the operands: wanted equal, float32, got float16") != std::string::npos);
  CHECK(Runner("", "Add")
            .refusal({tests::make_value(DType::bf16, {2}), tests::make_value(DType::bf16, {2})})
            .find("got bfloat16") != std::string::npos);
  CHECK(Runner("", "Div")
            .refusal({tests::integers<std::int64_t>({1}, {4}), tests::integers<std::int64_t>({1}, {0})})
            .find("integer divisor") != std::string::npos);
  CHECK(Runner("gonogo", "SwiGlu")
            .refusal({varied(DType::f32, {2, 3}, 1), varied(DType::f32, {3}, 1)})
            .find("shape of up, that of gate") != std::string::npos);
  Runner gelu("", "Gelu");
  gelu.node.attributes["approximate"] = std::string("cubic");
  CHECK(
      gelu.refusal({varied(DType::f32, {2}, 1)}).find("attribute approximate, one of: wanted none, tanh, got cubic") !=
      std::string::npos);
}

}  // namespace
