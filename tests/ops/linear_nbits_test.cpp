// MatMulNBits as exporters write it: which shapes of codes, scales and zero points belong to a block size, and which
// are refused with both numbers.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/ops/op_runner.hpp"

namespace gonogo::tests {
namespace {

using core::DType;

struct Shape {
  std::int64_t m = 1, n = 2, k = 0, block = 32;
  [[nodiscard]] std::int64_t blocks() const { return (k + block - 1) / block; }
};

Value filled(core::Shape shape, float with) {
  Value value = make_value(DType::f32, std::move(shape));
  for (std::size_t i = 0; i < value.count(); ++i) value.set(i, with);
  return value;
}

Value bytes_of(core::Shape shape, std::uint8_t with) {
  Value value = make_value(DType::u8, std::move(shape));
  std::fill(value.bytes.begin(), value.bytes.end(), std::byte{with});
  return value;
}

/// Ones, every code 9, every scale 0.5: each output is K * 0.5 with the zero point 8.
std::vector<Value> inputs_of(const Shape& s) {
  return {filled({s.m, s.k}, 1), bytes_of({s.n, s.blocks(), s.block / 2}, 0x99), filled({s.n, s.blocks()}, 0.5F)};
}

Runner runner_of(const Shape& s, const std::string& kernel = "simd") {
  Runner runner("com.microsoft", "MatMulNBits");
  runner.choice.matmul_nbits = kernel;
  runner.node.attributes = {{"K", s.k}, {"N", s.n}, {"bits", std::int64_t{4}}, {"block_size", s.block}};
  return runner;
}

std::string refusal_of(const Shape& s, std::vector<Value> inputs) { return runner_of(s).refusal(std::move(inputs)); }

void refused(const std::string& refusal, const std::string& wanted, const std::string& got) {
  CAPTURE(refusal);
  CHECK(refusal.find("the_node") != std::string::npos);
  CHECK(refusal.find("wanted " + wanted) != std::string::npos);
  CHECK(refusal.find("got " + got) != std::string::npos);
}

TEST_CASE("a block size that no kernel has is refused when the node is made, never computed as zero", "[ops]") {
  for (const std::int64_t block : {512, 8, 48, 0, -32}) {
    const Shape s{.k = 64, .block = 32};
    Runner runner = runner_of(s);
    runner.node.attributes["block_size"] = block;
    refused(runner.refusal(inputs_of(s)), "16, 32, 64, 128, 256", std::to_string(block));
  }
}

TEST_CASE("packed zero points are rounded up row by row, also for an odd number of blocks", "[ops]") {
  for (const std::int64_t blocks : {1, 3, 107}) {
    const Shape s{.n = 3, .k = blocks * 16, .block = 16};
    const std::int64_t row = (blocks + 1) / 2;
    auto inputs = inputs_of(s);
    inputs.push_back(bytes_of({s.n, row}, 0x77));  // 9 - 7 = 2
    CAPTURE(blocks);
    const std::vector<Value> y = runner_of(s).run(inputs);
    for (std::size_t i = 0; i < 3; ++i) CHECK(y[0].at(i) == static_cast<float>(s.k));
    for (const std::int64_t off : {row - 1, row + 1}) {
      inputs.back() = bytes_of({s.n, off}, 0x77);
      refused(refusal_of(s, inputs), fmt::format("[3, {}]", row), fmt::format("[3, {}]", off));
    }
  }
}

TEST_CASE("without zero points 8 is taken off, for every number of rows and by every kernel", "[ops]") {
  for (const std::string kernel : {"simd", "portable"})
    for (const std::int64_t m : {1, 2, 8, 9, 15, 16, 17}) {
      const Shape s{.m = m, .n = 5, .k = 96};
      auto inputs = inputs_of(s);
      const std::vector<Value> y = runner_of(s, kernel).run(inputs);
      CAPTURE(kernel, m);
      for (std::size_t i = 0; i < y[0].count(); ++i) CHECK(y[0].at(i) == 48.0F);
    }
}

TEST_CASE("no rows give an empty result", "[ops]") {
  const Shape s{.m = 0, .n = 5, .k = 64};
  auto inputs = inputs_of(s);
  CHECK(runner_of(s).run(inputs)[0].shape == core::Shape{0, 5});
}

TEST_CASE("the blocks of a K that ends within one are counted up, and no other number of scales is taken", "[ops]") {
  const Shape s{.k = 2752, .block = 128};
  auto inputs = inputs_of(s);
  REQUIRE(s.blocks() == 22);
  // Codes past K must not count.
  for (std::int64_t n = 0; n < s.n; ++n)
    for (std::int64_t i = 32; i < 64; ++i)
      inputs[1].bytes[static_cast<std::size_t>((n * 22 + 21) * 64 + i)] = std::byte{0xFF};
  CHECK(runner_of(s).run(inputs)[0].at(1) == 1376.0F);
  for (const std::int64_t rows : {21, 8}) {
    auto other = inputs;
    other[2] = filled({s.n, rows}, 0.5F);
    refused(refusal_of(s, other), "[2, 22]", fmt::format("[2, {}]", rows));
  }
}

TEST_CASE("a block size of -1 is no whole column, and one beyond K is a single block", "[ops]") {
  const Shape s{.k = 100, .block = 128};
  auto inputs = inputs_of(s);
  CHECK(runner_of(s).run(inputs)[0].at(0) == 50.0F);
  Runner runner = runner_of(s);
  runner.node.attributes["block_size"] = std::int64_t{-1};
  refused(runner.refusal(inputs), "16, 32, 64, 128, 256", "-1");
}

TEST_CASE("another K, rank or type than the node says is refused by name", "[ops]") {
  const Shape s{.k = 64};
  const auto with = [&](std::size_t index, Value value) {
    auto inputs = inputs_of(s);
    inputs[index] = std::move(value);
    return refusal_of(s, inputs);
  };
  refused(with(0, filled({1, 63}, 1)), "64", "[1, 63]");
  refused(with(0, filled({}, 1)), "1", "0");
  refused(with(1, bytes_of({2, 32}, 0)), "[2, 2, 16]", "[2, 32]");
  refused(with(1, filled({2, 2, 16}, 1)), "uint8", "float32");
  refused(with(2, varied(DType::f16, {2, 2}, 1)), "float32 as A", "float16");
}

TEST_CASE("an unknown attribute, bits or accuracy level is refused by name", "[ops]") {
  const Shape s{.k = 64};
  const auto with = [&](const std::string& name, std::int64_t value) {
    Runner runner = runner_of(s);
    runner.node.attributes[name] = value;
    return runner.refusal(inputs_of(s));
  };
  CHECK(with("block_sise", 32).find("block_sise") != std::string::npos);
  refused(with("bits", 3), "2, 4, 8", "3");
  refused(with("accuracy_level", 5), "0 to 4", "5");
  refused(with("weight_prepacked", 1), "0", "1");
}

}  // namespace
}  // namespace gonogo::tests
