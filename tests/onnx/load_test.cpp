#include "engine/onnx/model.hpp"
#include "harness/core/allocation.hpp"
#include "harness/core/half.hpp"
#include "tests/catch.hpp"
#include "tests/onnx/proto_builder.hpp"

namespace gonogo::tests {
namespace {

onnx::Model load(const TempFolder& folder, const ModelBuilder& model) {
  return onnx::load(folder.write("model.onnx", model.bytes()));
}

TEST_CASE("a model is read with its nodes, attributes, values and constants") {
  const TempFolder folder;
  ModelBuilder builder;
  builder.input("x", 1, {"batch", "", "4"}).output("y", 1, {"batch", "3"}).floats("w", {2, 2}, {1, 2, 3, 4});
  builder.input("w", 1, {"2", "2"});  // an initialiser listed as an input is no input
  auto& node = builder.node("Frob", {"x", "", "w"}, {"y", ""}, "com.microsoft");
  node.clear_name();
  set_integer(node, "K", 7);
  set_integers(node, "axes", {-1, 2});
  auto* attribute = node.add_attribute();
  attribute->set_name("epsilon");
  attribute->set_type(::onnx::AttributeProto::FLOAT);
  attribute->set_f(0.5F);
  builder.node("Identity", {"w"}, {"z"}, "ai.onnx");

  const onnx::Model model = load(folder, builder);
  CHECK(model.ir_version == 10);
  CHECK(model.producer == "tests");
  CHECK(model.opsets == std::map<std::string, std::int64_t>{{"", 21}, {"com.microsoft", 1}});
  REQUIRE(model.inputs.size() == 1);
  REQUIRE(model.inputs[0].shape.size() == 3);
  CHECK(model.inputs[0].shape[0].symbol == "batch");
  CHECK((model.inputs[0].shape[1].value == -1 && model.inputs[0].shape[1].symbol.empty()));
  CHECK(model.inputs[0].shape[2].value == 4);
  REQUIRE(model.nodes.size() == 2);
  CHECK(model.nodes[0].name == "Frob#0");
  CHECK(model.nodes[0].inputs == std::vector<std::string>{"x", "", "w"});
  CHECK(model.nodes[0].outputs == std::vector<std::string>{"y", ""});
  CHECK(std::get<std::int64_t>(model.nodes[0].attributes.at("K")) == 7);
  CHECK(std::get<std::vector<std::int64_t>>(model.nodes[0].attributes.at("axes")) == std::vector<std::int64_t>{-1, 2});
  CHECK(std::get<float>(model.nodes[0].attributes.at("epsilon")) == 0.5F);
  CHECK(model.nodes[1].domain.empty());
  REQUIRE(model.initializers.size() == 1);
  CHECK(model.initializers[0].tensor.shape == core::Shape{2, 2});
  CHECK(model.initializers[0].tensor.as<float>()[3] == 4.0F);
}

TEST_CASE("typed data fields hold the same tensors as raw data") {
  const TempFolder folder;
  ModelBuilder builder = small_model();
  auto& floats = builder.initializer("f", 1, {2});
  floats.add_float_data(0.25F);
  floats.add_float_data(-8.0F);
  auto& halves = builder.initializer("h", 10, {2});
  halves.add_int32_data(0x3C00);
  halves.add_int32_data(0xC000);
  auto& bytes = builder.initializer("b", 2, {3});
  for (const int value : {0, 127, 255}) bytes.add_int32_data(value);
  auto& nibbles = builder.initializer("n", 22, {3});
  nibbles.add_int32_data(0xF1);
  nibbles.add_int32_data(0x07);
  auto& longs = builder.initializer("l", 7, {1});
  longs.add_int64_data(std::int64_t{1} << 40);

  const onnx::Model model = load(folder, builder);
  const auto tensor = [&](const std::string& name) {
    for (const onnx::Initializer& one : model.initializers)
      if (one.name == name) return one.tensor;
    throw std::runtime_error("no tensor " + name);
  };
  CHECK(tensor("f").as<float>()[1] == -8.0F);
  CHECK(core::f16_to_f32(tensor("h").as<std::uint16_t>()[0]) == 1.0F);
  CHECK(core::f16_to_f32(tensor("h").as<std::uint16_t>()[1]) == -2.0F);
  CHECK(tensor("b").as<std::uint8_t>()[2] == 255);
  CHECK(tensor("n").bytes() == 2);
  CHECK(tensor("n").as<std::uint8_t>()[0] == 0xF1);
  CHECK(tensor("l").as<std::int64_t>()[0] == std::int64_t{1} << 40);
}

TEST_CASE("a typed field value outside its type is refused") {
  const TempFolder folder;
  ModelBuilder builder = small_model();
  builder.initializer("b", 2, {1}).add_int32_data(256);
  const std::string error = load_error(folder.write("model.onnx", builder.bytes()));
  CHECK(contains(error, "tensor b"));
  CHECK(contains(error, "256"));
}

TEST_CASE("raw data in the file is used where the parser put it, not copied again") {
  const TempFolder folder;
  constexpr std::int64_t kCount = 1 << 20;
  ModelBuilder builder = small_model();
  builder.floats("big", {kCount}, std::vector<float>(kCount, 1.0F));
  const auto before = core::host_allocations();
  const onnx::Model model = load(folder, builder);
  const auto taken = core::host_allocations() - before;
  CHECK(taken.bytes < kCount);  // the tensor is four times that
  CHECK(model.initializers.back().tensor.as<float>()[kCount - 1] == 1.0F);
}

TEST_CASE("dims and data that disagree are refused before anything is allocated") {
  const TempFolder folder;
  const auto error_with = [&](const Dims& dims, const std::string& raw) {
    ModelBuilder builder = small_model();
    builder.initializer("t", 1, dims).set_raw_data(raw);
    const auto before = core::host_allocations();
    std::string error = load_error(folder.write("model.onnx", builder.bytes()));
    CHECK((core::host_allocations() - before).bytes == 0);
    return error;
  };
  CHECK(contains(error_with({128}, ""), "wants 512 bytes, raw_data has 0"));
  CHECK(contains(error_with({std::int64_t{1} << 40}, "abcd"), "raw_data has 4"));
  CHECK(contains(error_with({-1}, "abcd"), "negative extent"));
  CHECK(contains(error_with({std::int64_t{1} << 40, std::int64_t{1} << 40}, "abcd"),
                 "more elements than memory can hold"));
  CHECK(contains(error_with({2}, "abcdefghi"), "wants 8 bytes, raw_data has 9"));
  CHECK(contains(error_with({128}, ""), "tensor t"));
  // No raw data at all: the typed field is short.
  ModelBuilder builder = small_model();
  builder.initializer("t", 1, {128});
  CHECK(contains(load_error(folder.write("model.onnx", builder.bytes())), "wants 128 values in float_data, got 0"));
}

TEST_CASE("a tensor without elements loads and has an address") {
  const TempFolder folder;
  ModelBuilder builder = small_model();
  builder.initializer("empty", 1, {0, 5});
  const onnx::Model model = load(folder, builder);
  CHECK(model.initializers.back().tensor.data != nullptr);
  CHECK(model.initializers.back().tensor.count() == 0);
}

TEST_CASE("files that are no ONNX model are named for what they are") {
  const TempFolder folder;
  CHECK(contains(load_error(folder.write("a.onnx", "")), "is empty"));
  CHECK(contains(load_error(folder.write("a.onnx", "{\"json\": true}")), "no readable ONNX protobuf"));
  CHECK(contains(load_error(folder.path()), "is a directory"));
  CHECK(contains(load_error(folder.path() / "missing.onnx"), "No such file"));
  const std::string valid = small_model().bytes();
  CHECK(contains(load_error(folder.write("a.onnx", valid.substr(0, valid.size() - 3))), "cut short"));
  ::onnx::ModelProto header;
  header.set_ir_version(10);
  CHECK(contains(load_error(folder.write("a.onnx", header.SerializeAsString())), "without an ONNX graph"));
  CHECK(contains(
      load_error(folder.write("a.onnx", "version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 9\n")),
      "git lfs pull"));
}

TEST_CASE("a protobuf of 2 GiB or more is refused with the remedy, without reading it") {
  const TempFolder folder;
  const auto file = folder.write("big.onnx", small_model().bytes());
  std::filesystem::resize_file(file, (std::uintmax_t{2} << 30) + 5);  // sparse
  const std::string error = load_error(file);
  CHECK(contains(error, "smaller than 2 GiB"));
  CHECK(contains(error, "use external data"));
}

TEST_CASE("control flow, sparse tensors, functions and sequences are refused by name") {
  const TempFolder folder;
  const auto error_of = [&](ModelBuilder& builder) { return load_error(folder.write("model.onnx", builder.bytes())); };
  ModelBuilder flow = small_model();
  auto& branch = flow.node("If", {"x"}, {"z"});
  branch.set_name("/model/rope/If");
  auto* attribute = branch.add_attribute();
  attribute->set_name("then_branch");
  attribute->set_type(::onnx::AttributeProto::GRAPH);
  attribute->mutable_g()->set_name("then");
  CHECK(contains(error_of(flow), "/model/rope/If (If)"));
  CHECK(contains(error_of(flow), "control flow is not supported"));

  ModelBuilder sparse = small_model();
  sparse.proto().mutable_graph()->add_sparse_initializer()->mutable_values()->set_name("s");
  CHECK(contains(error_of(sparse), "sparse tensor s"));

  ModelBuilder functions = small_model();
  functions.proto().add_functions()->set_name("Rotate");
  CHECK(contains(error_of(functions), "function Rotate"));

  ModelBuilder sequence = small_model();
  auto* value = sequence.proto().mutable_graph()->add_input();
  value->set_name("list");
  value->mutable_type()->mutable_sequence_type();
  CHECK(contains(error_of(sequence), "input list"));
}

TEST_CASE("element types that are not known are refused with the tensor's name") {
  const TempFolder folder;
  ModelBuilder builder = small_model();
  builder.initializer("d", 11, {1}).add_double_data(1.0);
  const std::string error = load_error(folder.write("model.onnx", builder.bytes()));
  CHECK(contains(error, "tensor d"));
  CHECK(contains(error, "element type 11"));
}

TEST_CASE("two initialisers of one name are refused") {
  const TempFolder folder;
  ModelBuilder builder = small_model();
  builder.floats("w", {1}, {1});
  CHECK(contains(load_error(folder.write("model.onnx", builder.bytes())), "tensor w"));
}

TEST_CASE("a model without opset imports is refused") {
  const TempFolder folder;
  ModelBuilder builder = small_model();
  builder.proto().clear_opset_import();
  CHECK(contains(load_error(folder.write("model.onnx", builder.bytes())), "imports no operator set"));
}

}  // namespace
}  // namespace gonogo::tests
