#include <cmath>

#include "engine/graph/evaluate.hpp"
#include "tests/catch.hpp"
#include "tests/graph/rewrite_fixture.hpp"

namespace gonogo::tests {
namespace {

struct Form {
  std::int32_t code_type = 22;  // int4; 21 is uint4
  bool is_transposed = false;   // [N, K] and a Transpose, else [K, N]
  bool has_zero_points = false;
};

constexpr std::int64_t kK = 40;  // a half-filled last block
constexpr std::int64_t kN = 3;   // odd: nibbles run across rows
constexpr std::int64_t kBlocks = 3;
constexpr std::int64_t kBlockSize = 16;

std::string nibbles(std::int64_t count, unsigned seed) {
  std::string bytes(static_cast<std::size_t>((count + 1) / 2), '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>((i + seed) * 73 + (i >> 3));
  return bytes;
}

ModelBuilder quantised_model(const Form& form) {
  ModelBuilder builder;
  builder.input("x", 1, {"2", std::to_string(kK)}).output("y", 1, {"2", std::to_string(kN)});
  const Dims codes = form.is_transposed ? Dims{kN, kK} : Dims{kK, kN};
  const Dims blocks = form.is_transposed ? Dims{kN, kBlocks} : Dims{kBlocks, kN};
  builder.initializer("codes", form.code_type, codes).set_raw_data(nibbles(kK * kN, 1));
  std::vector<float> scales;
  for (int i = 0; i < kBlocks * kN; ++i) scales.push_back(0.125F * static_cast<float>(i % 2 == 0 ? i + 1 : -i));
  builder.floats("scales", blocks, scales);
  std::vector<std::string> inputs{"codes", "scales"};
  if (form.has_zero_points) {
    builder.initializer("zeros", form.code_type, blocks).set_raw_data(nibbles(kBlocks * kN, 5));
    inputs.emplace_back("zeros");
  }
  auto& node = builder.node("DequantizeLinear", inputs, {"weight"});
  set_integer(node, "axis", form.is_transposed ? -1 : 0);
  set_integer(node, "block_size", kBlockSize);
  if (form.is_transposed) set_integers(builder.node("Transpose", {"weight"}, {"turned"}), "perm", {1, 0});
  builder.node("MatMul", {"x", form.is_transposed ? "turned" : "weight"}, {"y"});
  return builder;
}

std::vector<double> inputs() {
  std::vector<double> x;
  for (int i = 0; i < 2 * kK; ++i) x.push_back(static_cast<double>(i * 29 % 17 - 8) / 8);
  return x;
}

/// From the definition, in double: y = x @ (code - zero) * scale.
std::vector<double> reference(const Form& form) {
  const auto nibble = [&](const std::string& bytes, std::int64_t i) {
    const auto byte = static_cast<unsigned char>(bytes[static_cast<std::size_t>(i / 2)]);
    const int code = i % 2 == 0 ? byte & 15 : byte >> 4;
    return form.code_type == 22 && code > 7 ? code - 16 : code;
  };
  const std::string codes = nibbles(kK * kN, 1);
  const std::string zeros = nibbles(kBlocks * kN, 5);
  const std::vector<double> x = inputs();
  std::vector<double> y;
  for (std::int64_t m = 0; m < 2; ++m)
    for (std::int64_t n = 0; n < kN; ++n) {
      double sum = 0;
      for (std::int64_t k = 0; k < kK; ++k) {
        const std::int64_t block = form.is_transposed ? n * kBlocks + k / kBlockSize : k / kBlockSize * kN + n;
        const double scale = 0.125 * static_cast<double>(block % 2 == 0 ? block + 1 : -block);
        const int zero = form.has_zero_points ? nibble(zeros, block) : 0;
        sum += x[static_cast<std::size_t>(m * kK + k)] *
               (nibble(codes, form.is_transposed ? n * kK + k : k * kN + n) - zero) * scale;
      }
      y.push_back(sum);
    }
  return y;
}

std::vector<float> evaluated(const graph::Graph& graph) {
  std::vector<float> x;
  for (const double value : inputs()) x.push_back(static_cast<float>(value));
  const graph::Feeds feeds{{"x", {core::DType::f32, {2, kK}, reinterpret_cast<std::byte*>(x.data())}}};
  const graph::Evaluation evaluation = graph::evaluate(graph, feeds, {});
  const core::Tensor& y = evaluation.outputs.at("y");
  return {y.as<float>(), y.as<float>() + y.count()};
}

/// Every product is an exact multiple of 1/64 below 2^24 of them, and so is every partial sum: float32 is exact here.
void check_exact(const std::vector<float>& got, const std::vector<double>& wanted) {
  REQUIRE(got.size() == wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(static_cast<double>(got[i]) == wanted[i]);
}

TEST_CASE("both layouts, both types, with and without zero points become MatMulNBits of the same value") {
  for (const std::int32_t type : {22, 21})
    for (const bool is_transposed : {false, true})
      for (const bool has_zero_points : {false, true}) {
        CAPTURE(type, is_transposed, has_zero_points);
        const Form form{type, is_transposed, has_zero_points};
        graph::Graph graph = built(quantised_model(form));
        REQUIRE(apply(graph, "dequantize_matmul") == 1);
        REQUIRE(graph.nodes.size() == 1);
        CHECK(graph.nodes[0].op_type == "MatMulNBits");
        CHECK((graph.nodes[0].inputs.size() == 3) == (type == 22 && !has_zero_points));
        CHECK(graph.nodes[0].attributes.contains("accuracy_level") == !is_transposed);
        check_exact(evaluated(graph), reference(form));
      }
}

TEST_CASE("without the rewrite the same value comes from the dequantised weight") {
  const Form form{21, true, true};
  graph::Graph graph = built(quantised_model(form));
  CHECK(apply(graph, "fold_constants") == 0);  // 4-bit weights are not blown up by it
  CHECK(apply(graph, "fold_dequantized") == 2);
  check_exact(evaluated(graph), reference(form));
}

TEST_CASE("one nibble, scale or zero point more is seen") {
  const Form form{21, false, true};
  for (int tensor = 0; tensor < 3; ++tensor) {
    ModelBuilder builder = quantised_model(form);
    std::string* raw = builder.proto().mutable_graph()->mutable_initializer(tensor)->mutable_raw_data();
    (*raw)[tensor == 1 ? 2 : 0] = static_cast<char>((*raw)[tensor == 1 ? 2 : 0] ^ 0x10);
    graph::Graph graph = built(builder);
    REQUIRE(apply(graph, "dequantize_matmul") == 1);
    const std::vector<float> got = evaluated(graph);
    const std::vector<double> wanted = reference(form);
    bool differs = false;
    for (std::size_t i = 0; i < got.size(); ++i) differs = differs || static_cast<double>(got[i]) != wanted[i];
    CHECK(differs);
  }
}

TEST_CASE("a weight that others read, or a block size that MatMulNBits lacks, stays as it is") {
  ModelBuilder shared = quantised_model({});
  shared.node("Identity", {"weight"}, {"w_out"});
  shared.output("w_out", 1, {});
  graph::Graph read_twice = built(shared);
  CHECK(apply(read_twice, "dequantize_matmul") == 0);
  ModelBuilder odd = quantised_model({});
  odd.proto().mutable_graph()->mutable_node(0)->mutable_attribute(1)->set_i(24);
  graph::Graph unusual = built(odd);
  CHECK(apply(unusual, "dequantize_matmul") == 0);
}

}  // namespace
}  // namespace gonogo::tests
