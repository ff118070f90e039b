#include "engine/graph/graph.hpp"
#include "harness/core/error.hpp"
#include "tests/catch.hpp"
#include "tests/onnx/proto_builder.hpp"

namespace gonogo::tests {
namespace {

graph::Graph built(const ModelBuilder& builder) {
  const TempFolder folder;
  return graph::build(onnx::load(folder.write("model.onnx", builder.bytes())));
}

std::string build_error(const ModelBuilder& builder) {
  try {
    (void)built(builder);
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("values are numbered once, absent ones stay absent, constants are attached") {
  ModelBuilder builder = small_model();
  builder.node("Frob", {"y", "", "w"}, {"", "z"}, "com.microsoft");
  const graph::Graph graph = built(builder);
  graph::check(graph);
  REQUIRE(graph.nodes.size() == 2);
  CHECK(graph.values.size() == 4);
  CHECK(graph.nodes[1].inputs[0] == graph.nodes[0].outputs[0]);
  CHECK(graph.nodes[1].inputs[1] == graph::kAbsent);
  CHECK(graph.nodes[1].outputs[0] == graph::kAbsent);
  REQUIRE(graph.value(graph.nodes[1].inputs[2]).constant.has_value());
  CHECK(graph.value(graph.nodes[1].inputs[2]).constant->as<float>()[1] == -2.0F);
  CHECK(graph.inputs.size() == 1);
  CHECK(graph.outputs.size() == 1);
}

TEST_CASE("a tensor outlives the model it was loaded with") {
  const graph::Graph graph = built(small_model());  // file and model are gone
  CHECK(graph.value(graph.nodes[0].inputs[1]).constant->as<float>()[0] == 1.5F);
}

TEST_CASE("a tensor that a node needs and nothing defines is named, with the node and the input") {
  ModelBuilder builder = small_model();
  builder.node("Mul", {"y", "model.layers.3.weight"}, {"z"});
  const std::string error = build_error(builder);
  CHECK(contains(error, "\"model.layers.3.weight\""));
  CHECK(contains(error, "/Mul2 (Mul)"));
  CHECK(contains(error, "input 1"));
}

TEST_CASE("an output that nothing defines is named") {
  ModelBuilder builder = small_model();
  builder.output("logits", 1, {"2"});
  CHECK(contains(build_error(builder), "output logits"));
}

TEST_CASE("a tensor defined twice is named, by two nodes or by a node and an initialiser") {
  ModelBuilder twice = small_model();
  twice.node("Mul", {"x", "x"}, {"y"});
  CHECK(contains(build_error(twice), "tensor y: is defined twice"));
  ModelBuilder both = small_model();
  both.node("Mul", {"x", "x"}, {"w"});
  CHECK(contains(build_error(both), "tensor w: is defined twice"));
}

TEST_CASE("nodes out of order are put in order, and a cycle is refused") {
  ModelBuilder builder;
  builder.input("x", 1, {"2"}).output("y", 1, {"2"});
  builder.node("Mul", {"b", "b"}, {"y"});
  builder.node("Add", {"a", "a"}, {"b"});
  builder.node("Sub", {"x", "x"}, {"a"});
  const graph::Graph graph = built(builder);
  REQUIRE(graph.nodes.size() == 3);
  CHECK(graph.nodes[0].op_type == "Sub");
  CHECK(graph.nodes[2].op_type == "Mul");
  graph::check(graph);

  ModelBuilder cycle = small_model();
  cycle.node("Add", {"q", "x"}, {"p"});
  cycle.node("Add", {"p", "x"}, {"q"});
  CHECK(contains(build_error(cycle), "the graph has a cycle"));
}

TEST_CASE("an output declared of another type than its constant is refused") {
  ModelBuilder builder = small_model();
  builder.output("w", 7, {"2"});
  CHECK(contains(build_error(builder), "is declared int64 but is float32"));
}

TEST_CASE("a graph prints one line a node, with types of constants and attributes") {
  ModelBuilder builder = small_model();
  set_integer(builder.node("Frob", {"y", "", "w"}, {"z"}, "com.microsoft"), "K", 7);
  const std::string text = graph::to_string(built(builder));
  CHECK(text == "/Add1: Add(x, w:float32[2]) -> (y) {}\n/Frob2: com.microsoft.Frob(y, -, w:float32[2]) -> (z) {K=7}\n");
}

}  // namespace
}  // namespace gonogo::tests
