#include "harness/core/error.hpp"
#include "tests/catch.hpp"
#include "tests/graph/rewrite_fixture.hpp"

namespace gonogo::tests {
namespace {

ModelBuilder constant_chain() {
  ModelBuilder builder = small_model();
  auto& constant = builder.node("Constant", {}, {"c"});
  auto* value = constant.add_attribute();
  value->set_name("value");
  value->set_type(::onnx::AttributeProto::TENSOR);
  value->mutable_t()->set_data_type(7);
  value->mutable_t()->add_dims(2);
  value->mutable_t()->add_int64_data(2);
  value->mutable_t()->add_int64_data(1);
  builder.node("Reshape", {"w", "c"}, {"column"});
  builder.node("Transpose", {"column"}, {"row"});
  builder.node("Add", {"x", "row"}, {"z"});
  builder.output("z", 1, {"1", "2"});
  return builder;
}

TEST_CASE("fold_constants turns Constant nodes and what reads constants only into constants") {
  graph::Graph graph = built(constant_chain());
  CHECK(apply(graph, "fold_constants") == 1);  // the Constant; the Reshape is a view and left for the next rewrite
  CHECK(count_of(graph, "Constant") == 0);
  CHECK(value_of(graph, "c").constant->as<std::int64_t>()[0] == 2);
}

TEST_CASE("fold_reshaped_initializers shares the bytes of the initialiser") {
  graph::Graph graph = built(constant_chain());
  CHECK(apply(graph, "fold_constants") == 1);
  CHECK(apply(graph, "fold_reshaped_initializers") == 1);
  CHECK(value_of(graph, "column").constant->shape == core::Shape{2, 1});
  CHECK(value_of(graph, "column").constant->data == value_of(graph, "w").constant->data);
  CHECK(apply(graph, "fold_dequantized") == 1);  // now the Transpose behind the view
  CHECK(value_of(graph, "row").constant->shape == core::Shape{1, 2});
  CHECK(graph.nodes.size() == 2);
}

TEST_CASE("the lm_head that embeds tokens, too, is reshaped without a copy") {
  ModelBuilder builder;
  builder.input("ids", 7, {"1", "s"}).output("h", 1, {"1", "s", "64"});
  builder.initializer("lm_head", 2, {8, 2, 16}).set_raw_data(std::string(256, '\x77'));
  builder.floats("scales", {8, 2}, std::vector<float>(16, 1.0F)).integers("shape", {2}, {8, 32});
  builder.node("Reshape", {"lm_head", "shape"}, {"flat"});
  builder.node("GatherBlockQuantized", {"flat", "ids", "scales"}, {"h"}, "com.microsoft");
  graph::Graph graph = built(builder);
  CHECK(apply(graph, "fold_reshaped_initializers") == 1);
  CHECK(value_of(graph, "flat").constant->data == value_of(graph, "lm_head").constant->data);
  CHECK(count_of(graph, "Reshape") == 0);
}

TEST_CASE("remove_dead drops nodes that lead nowhere, and their producers") {
  ModelBuilder builder = small_model();
  builder.node("Mul", {"x", "x"}, {"a"});
  builder.node("Mul", {"a", "a"}, {"b"});
  graph::Graph graph = built(builder);
  CHECK(apply(graph, "remove_dead") == 2);
  CHECK(graph.nodes.size() == 1);
  CHECK(apply(graph, "remove_dead") == 0);
}

TEST_CASE("rewrites that are off do nothing and report 0; an unknown name is refused") {
  graph::Graph graph = built(constant_chain());
  const std::string before = graph::to_string(graph);
  for (const graph::RewriteCount& count : graph::rewrite(graph, {})) CHECK(count.count == 0);
  CHECK(graph::to_string(graph) == before);
  const std::vector<std::string> unknown{"fuse_everything"};
  CHECK_THROWS_AS(graph::rewrite(graph, unknown), core::UsageError);
  CHECK(graph::rewrites().size() >= 8);
}

}  // namespace
}  // namespace gonogo::tests
