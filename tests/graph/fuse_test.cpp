#include <cmath>

#include "engine/graph/evaluate.hpp"
#include "tests/catch.hpp"
#include "tests/graph/rewrite_fixture.hpp"

namespace gonogo::tests {
namespace {

void add_matmul(ModelBuilder& builder, const std::string& name, std::int64_t n, const std::string& input = "x") {
  const std::int64_t row = 16;  // K = 32, one block of 32 codes
  std::string codes(static_cast<std::size_t>(n * row), '\0');
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<char>(i * 37 + name.size());
  builder.initializer(name + "_codes", 2, {n, 1, row}).set_raw_data(codes);
  builder.floats(name + "_scales", {n, 1}, std::vector<float>(static_cast<std::size_t>(n), 0.25F));
  auto& node = builder.node("MatMulNBits", {input, name + "_codes", name + "_scales"}, {name}, "com.microsoft");
  set_integer(node, "K", 32);
  set_integer(node, "N", n);
  set_integer(node, "block_size", 32);
}

ModelBuilder biased_model(const Dims& bias_dims, bool is_bias_first = false) {
  ModelBuilder builder;
  builder.input("x", 1, {"2", "32"}).output("y", 1, {"2", "4"});
  add_matmul(builder, "qkv", 4);
  std::int64_t count = 1;
  for (const std::int64_t dim : bias_dims) count *= dim;
  std::vector<float> bias(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < bias.size(); ++i) bias[i] = static_cast<float>(i) + 0.5F;
  builder.floats("bias", bias_dims, bias);
  builder.node("Add", is_bias_first ? std::vector<std::string>{"bias", "qkv"} : std::vector<std::string>{"qkv", "bias"},
               {"y"});
  return builder;
}

ModelBuilder gated_model(std::int64_t gate_width, std::int64_t up_width, bool is_swapped = false) {
  ModelBuilder builder;
  builder.input("x", 1, {"2", "32"}).output("y", 1, {"2", "4"});
  add_matmul(builder, "gate", gate_width);
  add_matmul(builder, "up_proj", up_width);
  builder.node("Sigmoid", {"gate"}, {"s"});
  builder.node("Mul", is_swapped ? std::vector<std::string>{"s", "gate"} : std::vector<std::string>{"gate", "s"},
               {"a"});
  builder.node("Mul", is_swapped ? std::vector<std::string>{"up_proj", "a"} : std::vector<std::string>{"a", "up_proj"},
               {"y"});
  return builder;
}

std::vector<float> evaluated(const graph::Graph& graph) {
  std::vector<float> x(64);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(static_cast<int>(i * 29 % 13) - 6) * 0.125F;
  const graph::Feeds feeds{{"x", {core::DType::f32, {2, 32}, reinterpret_cast<std::byte*>(x.data())}}};
  const graph::Evaluation evaluation = graph::evaluate(graph, feeds, {});
  const core::Tensor& y = evaluation.outputs.at("y");
  return {y.as<float>(), y.as<float>() + y.count()};
}

/// Applies the rewrite and checks that the outputs stay what they were, to float32 rounding.
void check_same_values(const ModelBuilder& builder, const std::string& rewrite) {
  graph::Graph graph = built(builder);
  const std::vector<float> before = evaluated(graph);
  REQUIRE(apply(graph, rewrite) == 1);
  const std::vector<float> after = evaluated(graph);
  REQUIRE(before.size() == after.size());
  REQUIRE_FALSE(before.empty());
  float largest = 0;
  for (const float value : before) largest = std::max(largest, std::abs(value));
  CHECK(largest > 0.1F);
  for (std::size_t i = 0; i < before.size(); ++i) CHECK(std::abs(before[i] - after[i]) <= 1e-5F * largest);
}

TEST_CASE("fuse_bias moves a constant row into the matmul's bias input, on either side of the Add") {
  for (const bool is_bias_first : {false, true}) {
    graph::Graph graph = built(biased_model({4}, is_bias_first));
    CHECK(apply(graph, "fuse_bias") == 1);
    REQUIRE(graph.nodes.size() == 1);
    REQUIRE(graph.nodes[0].inputs.size() == 6);
    CHECK(graph.value(graph.nodes[0].inputs[5]).name == "bias");
    CHECK(graph.nodes[0].inputs[3] == graph::kAbsent);
    CHECK(graph.value(graph.nodes[0].outputs[0]).name == "y");
    check_same_values(biased_model({4}, is_bias_first), "fuse_bias");
  }
}

TEST_CASE("fuse_bias leaves other shapes, a product read twice, and a matmul that has a bias") {
  graph::Graph wide = built(biased_model({2, 4}));
  CHECK(apply(wide, "fuse_bias") == 0);
  graph::Graph single = built(biased_model({1}));
  CHECK(apply(single, "fuse_bias") == 0);

  ModelBuilder shared = biased_model({4});
  shared.node("Mul", {"qkv", "qkv"}, {"z"});
  shared.output("z", 1, {"2", "4"});
  graph::Graph read_twice = built(shared);
  CHECK(apply(read_twice, "fuse_bias") == 0);

  ModelBuilder second = biased_model({4});
  second.floats("more", {4}, {1, 2, 3, 4});
  second.node("Add", {"y", "more"}, {"z"});
  second.output("z", 1, {"2", "4"});
  graph::Graph chained = built(second);
  CHECK(apply(chained, "fuse_bias") == 1);
  CHECK(apply(chained, "fuse_bias") == 0);
  CHECK(count_of(chained, "Add") == 1);
}

TEST_CASE("fuse_swiglu joins x * Sigmoid(x) * up, in any order of the factors") {
  for (const bool is_swapped : {false, true}) {
    graph::Graph graph = built(gated_model(4, 4, is_swapped));
    CHECK(apply(graph, "fuse_swiglu") == 1);
    REQUIRE(count_of(graph, "SwiGlu") == 1);
    CHECK(graph.nodes.size() == 3);
    const graph::Node& fused = graph.nodes.back();
    CHECK(fused.domain == "gonogo");
    CHECK(graph.value(fused.inputs.at(0)).name == "gate");
    CHECK(graph.value(fused.inputs.at(1)).name == "up_proj");
    CHECK(graph.value(fused.outputs.at(0)).name == "y");
    check_same_values(gated_model(4, 4, is_swapped), "fuse_swiglu");
  }
}

TEST_CASE("fuse_swiglu leaves a broadcast, another input, and an activation read twice") {
  graph::Graph broadcast = built(gated_model(4, 1));
  CHECK(apply(broadcast, "fuse_swiglu") == 0);

  ModelBuilder shared = gated_model(4, 4);
  shared.node("Add", {"a", "a"}, {"z"});
  shared.output("z", 1, {"2", "4"});
  graph::Graph read_twice = built(shared);
  CHECK(apply(read_twice, "fuse_swiglu") == 0);

  ModelBuilder others;
  others.input("x", 1, {"2", "32"}).input("x2", 1, {"1", "32"}).output("y", 1, {"2", "4"});
  add_matmul(others, "gate", 4);
  add_matmul(others, "up_proj", 4, "x2");
  others.node("Sigmoid", {"gate"}, {"s"});
  others.node("Mul", {"gate", "s"}, {"a"});
  others.node("Mul", {"a", "up_proj"}, {"y"});
  graph::Graph two_inputs = built(others);
  CHECK(apply(two_inputs, "fuse_swiglu") == 0);
}

}  // namespace
}  // namespace gonogo::tests
