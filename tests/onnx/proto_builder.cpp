#include "tests/onnx/proto_builder.hpp"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "engine/onnx/model.hpp"
#include "harness/core/error.hpp"

namespace gonogo::tests {

TempFolder::TempFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "gonogo_test_XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = pattern;
}

TempFolder::~TempFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

std::filesystem::path TempFolder::write(const std::filesystem::path& name, std::string_view bytes) const {
  const std::filesystem::path file = path_ / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream stream(file, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!stream) throw std::runtime_error("cannot write " + file.string());
  return file;
}

ModelBuilder::ModelBuilder() {
  proto_.set_ir_version(10);
  proto_.set_producer_name("tests");
  proto_.mutable_graph()->set_name("main_graph");
  auto* standard = proto_.add_opset_import();
  standard->set_domain("");
  standard->set_version(21);
  auto* contributed = proto_.add_opset_import();
  contributed->set_domain("com.microsoft");
  contributed->set_version(1);
}

namespace {

/// Digits are a fixed extent, "" an unknown one, anything else a symbol.
void fill(::onnx::ValueInfoProto& value, const std::string& name, std::int32_t type,
          const std::vector<std::string>& dims) {
  value.set_name(name);
  auto* tensor = value.mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(type);
  auto* shape = tensor->mutable_shape();
  for (const std::string& dim : dims) {
    auto* extent = shape->add_dim();
    if (!dim.empty() && dim.find_first_not_of("-0123456789") == std::string::npos)
      extent->set_dim_value(std::stoll(dim));
    else if (!dim.empty())
      extent->set_dim_param(dim);
  }
}

void add_pair(::onnx::TensorProto& tensor, const std::string& key, const std::string& value) {
  auto* pair = tensor.add_external_data();
  pair->set_key(key);
  pair->set_value(value);
}

}  // namespace

ModelBuilder& ModelBuilder::input(const std::string& name, std::int32_t type, const std::vector<std::string>& dims) {
  fill(*proto_.mutable_graph()->add_input(), name, type, dims);
  return *this;
}

ModelBuilder& ModelBuilder::output(const std::string& name, std::int32_t type, const std::vector<std::string>& dims) {
  fill(*proto_.mutable_graph()->add_output(), name, type, dims);
  return *this;
}

::onnx::TensorProto& ModelBuilder::initializer(const std::string& name, std::int32_t type, const Dims& dims) {
  auto* tensor = proto_.mutable_graph()->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(type);
  for (const std::int64_t extent : dims) tensor->add_dims(extent);
  return *tensor;
}

ModelBuilder& ModelBuilder::floats(const std::string& name, const Dims& dims, const std::vector<float>& values) {
  initializer(name, 1, dims).set_raw_data(raw_bytes(values));
  return *this;
}

ModelBuilder& ModelBuilder::integers(const std::string& name, const Dims& dims,
                                     const std::vector<std::int64_t>& values) {
  initializer(name, 7, dims).set_raw_data(raw_bytes(values));
  return *this;
}

ModelBuilder& ModelBuilder::external(const std::string& name, const Dims& dims, const std::string& location,
                                     const std::string& offset, const std::string& length) {
  auto& tensor = initializer(name, 1, dims);
  tensor.set_data_location(::onnx::TensorProto::EXTERNAL);
  add_pair(tensor, "location", location);
  if (!offset.empty()) add_pair(tensor, "offset", offset);
  if (!length.empty()) add_pair(tensor, "length", length);
  return *this;
}

::onnx::NodeProto& ModelBuilder::node(const std::string& op_type, const std::vector<std::string>& inputs,
                                      const std::vector<std::string>& outputs, const std::string& domain) {
  auto* node = proto_.mutable_graph()->add_node();
  node->set_op_type(op_type);
  node->set_domain(domain);
  node->set_name("/" + op_type + std::to_string(proto_.graph().node_size()));
  for (const std::string& name : inputs) node->add_input(name);
  for (const std::string& name : outputs) node->add_output(name);
  return *node;
}

void set_integer(::onnx::NodeProto& node, const std::string& name, std::int64_t value) {
  auto* attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(::onnx::AttributeProto::INT);
  attribute->set_i(value);
}

void set_integers(::onnx::NodeProto& node, const std::string& name, const std::vector<std::int64_t>& values) {
  auto* attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(::onnx::AttributeProto::INTS);
  for (const std::int64_t value : values) attribute->add_ints(value);
}

ModelBuilder small_model() {
  ModelBuilder model;
  model.input("x", 1, {"2"}).output("y", 1, {"2"}).floats("w", {2}, {1.5F, -2.0F});
  model.node("Add", {"x", "w"}, {"y"});
  return model;
}

ModelBuilder small_external_model(const std::string& location, const std::string& offset, const std::string& length) {
  ModelBuilder model;
  model.input("x", 1, {"2"}).output("y", 1, {"2"}).external("w", {2}, location, offset, length);
  model.node("Add", {"x", "w"}, {"y"});
  return model;
}

std::string load_error(const std::filesystem::path& file) {
  try {
    (void)onnx::load(file);
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace gonogo::tests
