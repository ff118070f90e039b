#include "tests/catch.hpp"
#include "tests/graph/rewrite_fixture.hpp"

namespace gonogo::tests {
namespace {

/// The inputs and the end that every variant shares: Use reads seqlens_k and the total.
ModelBuilder mask_model(std::int32_t mask_type = 7) {
  ModelBuilder builder;
  builder.input("attention_mask", mask_type, {"batch_size", "total_sequence_length"}).output("y", 1, {});
  builder.integers("one", {}, {1}).integers("one_1d", {1}, {1}).integers("axes", {1}, {1}).integers("axis0", {1}, {0});
  return builder;
}

void use(ModelBuilder& builder, const std::string& seqlens, const std::string& total) {
  builder.node("Use", {seqlens, total}, {"y"});
}

/// 2.3, the form the builder writes for cpu and cuda.
ModelBuilder builder_form() {
  ModelBuilder builder = mask_model();
  set_integer(builder.node("ReduceSum", {"attention_mask", "axes"}, {"sum"}), "keepdims", 0);
  builder.node("Sub", {"sum", "one_1d"}, {"less"});
  set_integer(builder.node("Cast", {"less"}, {"seqlens_k"}), "to", 6);
  builder.node("Shape", {"attention_mask"}, {"shape"});
  set_integer(builder.node("Gather", {"shape", "one"}, {"extent"}), "axis", 0);
  set_integer(builder.node("Cast", {"extent"}, {"total"}), "to", 6);
  use(builder, "seqlens_k", "total");
  return builder;
}

void check_folded(const graph::Graph& graph, const core::Shape& seqlens_shape, const core::Shape& total_shape) {
  const auto shape_of = [](const graph::Value& value) {
    core::Shape shape;
    for (const onnx::Dim& dim : value.shape) shape.push_back(dim.value);
    return shape;
  };
  const graph::Value& seqlens = value_of(graph, "seqlens_k");
  const graph::Value& total = value_of(graph, "total");
  CHECK(seqlens.step_scalar == graph::StepScalar::last_valid);
  CHECK(total.step_scalar == graph::StepScalar::total_length);
  CHECK(seqlens.dtype == core::DType::i32);
  CHECK(total.dtype == core::DType::i32);
  CHECK(shape_of(seqlens) == seqlens_shape);
  CHECK(shape_of(total) == total_shape);
  CHECK(graph.nodes.size() == 1);
  CHECK(graph::consumer_counts(graph)[static_cast<std::size_t>(graph.inputs[0])] == 0);
}

TEST_CASE("the builder's mask sub-graph folds into two step scalars") {
  graph::Graph graph = built(builder_form());
  CHECK(apply(graph, "fold_mask") == 2);
  check_folded(graph, {1}, {});
}

TEST_CASE("the variant for graph capture, with ReduceMax for the total, folds, too") {
  ModelBuilder builder = mask_model();
  builder.initializer("one_i32", 6, {1}).add_int32_data(1);
  set_integer(builder.node("Cast", {"attention_mask"}, {"mask32"}), "to", 6);
  set_integer(builder.node("ReduceSum", {"mask32", "axes"}, {"sum"}), "keepdims", 0);
  builder.node("Sub", {"sum", "one_i32"}, {"seqlens_k"});
  set_integer(builder.node("ReduceMax", {"sum", "axis0"}, {"total"}), "keepdims", 0);
  use(builder, "seqlens_k", "total");
  graph::Graph graph = built(builder);
  CHECK(apply(graph, "fold_mask") == 2);
  check_folded(graph, {1}, {});
}

TEST_CASE("longer affine chains fold: squeezed, unsqueezed, added to and taken from") {
  ModelBuilder builder = mask_model();
  builder.integers("two", {}, {2});
  builder.node("ReduceSum", {"attention_mask", "axes"}, {"kept"});  // [1, 1]
  builder.node("Squeeze", {"kept", "axis0"}, {"sum"});              // [1]
  builder.node("Add", {"sum", "two"}, {"more"});
  builder.node("Sub", {"more", "one"}, {"more_by_one"});
  builder.node("Sub", {"more_by_one", "two"}, {"less"});
  set_integer(builder.node("Cast", {"less"}, {"seqlens_k"}), "to", 6);
  builder.node("Squeeze", {"sum"}, {"scalar"});
  builder.node("Unsqueeze", {"scalar", "axis0"}, {"again"});
  set_integer(builder.node("Cast", {"again"}, {"total"}), "to", 6);
  use(builder, "seqlens_k", "total");
  graph::Graph graph = built(builder);
  CHECK(apply(graph, "fold_mask") == 2);
  check_folded(graph, {1}, {1});
}

TEST_CASE("a value that the length does not change becomes a constant") {
  ModelBuilder builder = mask_model();
  builder.integers("zero", {}, {0});
  builder.node("Shape", {"attention_mask"}, {"shape"});
  builder.node("Gather", {"shape", "zero"}, {"batch"});
  builder.node("Gather", {"shape", "one"}, {"extent"});
  use(builder, "batch", "extent");
  graph::Graph graph = built(builder);
  CHECK(apply(graph, "fold_mask") == 2);
  CHECK(value_of(graph, "batch").constant->as<std::int64_t>()[0] == 1);
  CHECK(value_of(graph, "extent").step_scalar == graph::StepScalar::total_length);
}

TEST_CASE("what is no such function of the length stays, with what it needs, and keeps reading the mask") {
  ModelBuilder builder = mask_model();
  set_integer(builder.node("ReduceSum", {"attention_mask", "axes"}, {"sum"}), "keepdims", 0);
  builder.node("Mul", {"sum", "sum"}, {"square"});
  builder.node("Add", {"sum", "one_1d"}, {"one_more"});
  builder.node("Use", {"square", "one_more"}, {"y"});
  graph::Graph graph = built(builder);
  CHECK(apply(graph, "fold_mask") == 1);  // the sum, which Mul reads
  CHECK(value_of(graph, "sum").step_scalar == graph::StepScalar::total_length);
  CHECK(value_of(graph, "one_more").step_scalar == graph::StepScalar::none);
  CHECK(count_of(graph, "Add") == 1);
}

TEST_CASE("an additive mask keeps its nodes and its input") {
  ModelBuilder builder = mask_model();
  set_integer(builder.node("Cast", {"attention_mask"}, {"floats"}), "to", 1);
  builder.node("Use", {"floats"}, {"y"});
  graph::Graph graph = built(builder);
  CHECK(apply(graph, "fold_mask") == 0);
  CHECK(graph.nodes.size() == 2);
}

TEST_CASE("a graph without a mask is left alone, and folding is switchable") {
  graph::Graph graph = built(small_model());
  CHECK(apply(graph, "fold_mask") == 0);
  graph::Graph unfolded = built(builder_form());
  CHECK(apply(unfolded, "remove_dead") == 0);
  CHECK(unfolded.nodes.size() == 7);
}

}  // namespace
}  // namespace gonogo::tests
