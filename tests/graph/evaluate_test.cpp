#include "engine/graph/evaluate.hpp"
#include "harness/core/error.hpp"
#include "tests/catch.hpp"
#include "tests/graph/rewrite_fixture.hpp"

namespace gonogo::tests {
namespace {

core::Tensor floats_at(std::vector<float>& values, core::Shape shape) {
  return {core::DType::f32, std::move(shape), reinterpret_cast<std::byte*>(values.data())};
}

std::string evaluation_error(const ModelBuilder& builder, const graph::Feeds& feeds) {
  try {
    (void)graph::evaluate(built(builder), feeds, {});
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("a graph runs node by node, shapes computed on the way included") {
  ModelBuilder builder;
  builder.input("x", 1, {"a", "b"}).output("y", 1, {}).integers("last", {1}, {-1});
  set_integer(builder.node("Shape", {"x"}, {"rows"}), "end", 1);
  set_integer(builder.node("Concat", {"rows", "last"}, {"target"}), "axis", 0);
  builder.node("Transpose", {"x"}, {"turned"});
  builder.node("Reshape", {"turned", "target"}, {"y"});
  std::vector<float> x{0, 1, 2, 3, 4, 5};
  const graph::Graph graph = built(builder);
  const graph::Evaluation evaluation = graph::evaluate(graph, {{"x", floats_at(x, {2, 3})}}, {});
  const core::Tensor& y = evaluation.outputs.at("y");
  CHECK(y.shape == core::Shape{2, 3});
  CHECK(std::vector<float>(y.as<float>(), y.as<float>() + 6) == std::vector<float>{0, 3, 1, 4, 2, 5});
}

TEST_CASE("feeds that are missing, unknown, or of another type, rank or extent are refused by name") {
  std::vector<float> x(8, 1.0F);
  CHECK(contains(evaluation_error(small_model(), {}), "input x: has no feed"));
  CHECK(contains(evaluation_error(small_model(), {{"x", floats_at(x, {2})}, {"z", floats_at(x, {2})}}), "feed z"));
  CHECK(
      contains(evaluation_error(small_model(), {{"x", floats_at(x, {1, 2})}}), "wanted float32[2], got float32[1, 2]"));
  CHECK(contains(evaluation_error(small_model(), {{"x", floats_at(x, {3})}}), "wanted float32[2], got float32[3]"));
  core::Tensor wrong = floats_at(x, {2});
  wrong.dtype = core::DType::i32;
  CHECK(contains(evaluation_error(small_model(), {{"x", wrong}}), "got int32[2]"));
}

TEST_CASE("an operator that is not supported is refused with its node") {
  ModelBuilder builder = small_model();
  builder.node("LSTM", {"y"}, {"z"});
  builder.output("z", 1, {});
  std::vector<float> x(2);
  graph::Graph graph = built(builder);
  CHECK(contains(evaluation_error(builder, {{"x", floats_at(x, {2})}}), "LSTM"));
}

TEST_CASE("an output of another type than declared is refused") {
  ModelBuilder builder;
  builder.input("x", 1, {"2"}).output("y", 1, {});
  builder.node("Shape", {"x"}, {"y"});
  std::vector<float> x(2);
  CHECK(contains(evaluation_error(builder, {{"x", floats_at(x, {2})}}), "declared float32, got int64"));
}

TEST_CASE("a node with more outputs than its operator has is refused") {
  ModelBuilder builder;
  builder.input("x", 1, {"2"}).output("y", 7, {});
  builder.node("Shape", {"x"}, {"y", "z"});
  std::vector<float> x(2);
  CHECK(contains(evaluation_error(builder, {{"x", floats_at(x, {2})}}), "outputs: wanted at most 1, got 2"));
}

TEST_CASE("a domain whose opset the model does not import is refused, contributed operators apart") {
  ModelBuilder builder;
  builder.input("x", 1, {"2"}).output("y", 7, {});
  builder.node("Shape", {"x"}, {"y"});
  builder.proto().mutable_opset_import(0)->set_domain("other");
  std::vector<float> x(2);
  CHECK(contains(evaluation_error(builder, {{"x", floats_at(x, {2})}}), "imports no operator set for domain \"\""));
}

}  // namespace
}  // namespace gonogo::tests
