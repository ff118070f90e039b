// The .onnx file: mapped, parsed, and turned into plain structs with everything unsupported refused by name.
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <limits>
#include <set>

#include "engine/onnx/external_data.hpp"
#include "engine/onnx/model.hpp"
#include "engine/onnx/storage.hpp"
#include "engine/onnx/tensor_reader.hpp"
#include "harness/core/error.hpp"

namespace gonogo::onnx {
namespace {

using Attribute = ::onnx::AttributeProto;

class Loader {
 public:
  Loader(const std::filesystem::path& file, std::shared_ptr<Storage> storage)
      : file_(file), storage_(std::move(storage)), tensors_(file_, *storage_) {}

  Model load(const ::onnx::ModelProto& proto);

 private:
  void read_header(const ::onnx::ModelProto& proto);
  void read_initializers(const ::onnx::GraphProto& graph);
  void read_values(const ::onnx::GraphProto& graph);
  Node read_node(const ::onnx::NodeProto& proto, int index);
  AttributeValue read_attribute(const Attribute& proto, const std::string& node);
  ValueInfo read_value(const ::onnx::ValueInfoProto& proto, std::string_view kind);
  [[noreturn]] void fail(const std::string& place, const std::string& what, const std::string& remedy = "") const {
    throw core::InputError({file_.string(), place, what, remedy});
  }

  std::filesystem::path file_;
  std::shared_ptr<Storage> storage_;
  TensorReader tensors_;
  std::set<std::string> initializer_names_;
  Model model_;
};

std::string domain_of(const std::string& domain) { return domain == "ai.onnx" ? std::string() : domain; }

Model Loader::load(const ::onnx::ModelProto& proto) {
  read_header(proto);
  const ::onnx::GraphProto& graph = proto.graph();
  if (graph.sparse_initializer_size() > 0)
    fail("sparse tensor " + graph.sparse_initializer(0).values().name(), "sparse initialisers are not supported",
         "store them dense");
  read_initializers(graph);
  read_values(graph);
  model_.nodes.reserve(static_cast<std::size_t>(graph.node_size()));
  for (int i = 0; i < graph.node_size(); ++i) model_.nodes.push_back(read_node(graph.node(i), i));
  tensors_.finish();
  model_.file = file_;
  model_.storage = storage_;
  return std::move(model_);
}

void Loader::read_header(const ::onnx::ModelProto& proto) {
  model_.ir_version = proto.ir_version();
  model_.producer = proto.producer_name();
  if (proto.opset_import_size() == 0)
    fail("", "imports no operator set", "an ONNX model of IR 3 or later names its opsets");
  for (const auto& opset : proto.opset_import()) model_.opsets[domain_of(opset.domain())] = opset.version();
  if (proto.functions_size() > 0)
    fail("function " + proto.functions(0).name(), "model-local functions are not supported",
         "inline them when exporting");
}

void Loader::read_initializers(const ::onnx::GraphProto& graph) {
  model_.initializers.reserve(static_cast<std::size_t>(graph.initializer_size()));
  for (const auto& proto : graph.initializer()) {
    if (proto.name().empty()) fail("", "an initialiser has no name");
    if (!initializer_names_.insert(proto.name()).second)
      fail("tensor " + proto.name(), "two initialisers have this name");
    model_.initializers.push_back({proto.name(), tensors_.read(proto, proto.name())});
  }
}

void Loader::read_values(const ::onnx::GraphProto& graph) {
  for (const auto& input : graph.input())
    if (!initializer_names_.contains(input.name())) model_.inputs.push_back(read_value(input, "input"));
  for (const auto& output : graph.output()) model_.outputs.push_back(read_value(output, "output"));
}

ValueInfo Loader::read_value(const ::onnx::ValueInfoProto& proto, std::string_view kind) {
  const std::string place = fmt::format("{} {}", kind, proto.name());
  if (proto.name().empty()) fail(std::string(kind), "a graph input or output has no name");
  if (!proto.type().has_tensor_type())
    fail(place, "is no tensor: sequence, map, optional and sparse types are not supported");
  const auto& tensor = proto.type().tensor_type();
  const auto type = core::dtype_from_onnx(tensor.elem_type());
  if (!type) fail(place, fmt::format("element type {} is not supported", tensor.elem_type()));
  ValueInfo value{proto.name(), *type, {}, tensor.has_shape()};
  for (const auto& dim : tensor.shape().dim()) {
    if (dim.has_dim_value() && dim.dim_value() >= 0)
      value.shape.push_back({dim.dim_value(), ""});
    else
      value.shape.push_back({-1, dim.dim_param()});
  }
  return value;
}

Node Loader::read_node(const ::onnx::NodeProto& proto, int index) {
  Node node;
  node.op_type = proto.op_type();
  node.domain = domain_of(proto.domain());
  node.name = proto.name().empty() ? fmt::format("{}#{}", node.op_type, index) : proto.name();
  const std::string place =
      fmt::format("node {} ({}{}{})", node.name, node.domain, node.domain.empty() ? "" : ".", node.op_type);
  if (node.op_type.empty()) fail(place, "has no op_type");
  node.inputs.assign(proto.input().begin(), proto.input().end());
  node.outputs.assign(proto.output().begin(), proto.output().end());
  for (const auto& attribute : proto.attribute()) {
    if (attribute.name().empty()) fail(place, "an attribute has no name");
    if (!node.attributes.emplace(attribute.name(), read_attribute(attribute, place)).second)
      fail(place, "attribute " + attribute.name() + " is given twice");
  }
  return node;
}

/// Files of IR 1 and 2 leave `type` out; then the field that is set tells.
Attribute::AttributeType type_of(const Attribute& proto) {
  if (proto.type() != Attribute::UNDEFINED) return proto.type();
  if (proto.has_f()) return Attribute::FLOAT;
  if (proto.has_i()) return Attribute::INT;
  if (proto.has_s()) return Attribute::STRING;
  if (proto.has_t()) return Attribute::TENSOR;
  if (proto.has_g() || proto.graphs_size() > 0) return Attribute::GRAPH;
  if (proto.floats_size() > 0) return Attribute::FLOATS;
  if (proto.ints_size() > 0) return Attribute::INTS;
  if (proto.strings_size() > 0) return Attribute::STRINGS;
  return Attribute::UNDEFINED;
}

AttributeValue Loader::read_attribute(const Attribute& proto, const std::string& node) {
  switch (type_of(proto)) {
    case Attribute::FLOAT:
      return proto.f();
    case Attribute::INT:
      return std::int64_t{proto.i()};
    case Attribute::STRING:
      return proto.s();
    case Attribute::FLOATS:
      return std::vector<float>(proto.floats().begin(), proto.floats().end());
    case Attribute::INTS:
      return std::vector<std::int64_t>(proto.ints().begin(), proto.ints().end());
    case Attribute::STRINGS:
      return std::vector<std::string>(proto.strings().begin(), proto.strings().end());
    case Attribute::TENSOR:
      return tensors_.read(proto.t(),
                           proto.t().name().empty() ? node + ", attribute " + proto.name() : proto.t().name());
    case Attribute::GRAPH:
    case Attribute::GRAPHS:
      fail(node, fmt::format("control flow is not supported: attribute {} holds a sub-graph", proto.name()),
           "export a graph without If, Loop and Scan");
    default:
      break;
  }
  fail(node, fmt::format("attribute {} has a type that is not supported", proto.name()));
}

}  // namespace

Model load(const std::filesystem::path& file) {
  MappedFile mapped(file);
  const auto bytes = mapped.bytes();
  const auto fail = [&](const std::string& what, const std::string& remedy) {
    throw core::InputError({file.string(), "", what, remedy});
  };
  if (bytes.empty()) fail("is empty", "the download or the conversion did not finish");
  if (is_lfs_pointer(bytes)) fail("is a Git LFS pointer, not a model", kLfsRemedy);
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    fail(fmt::format("is {} bytes, and a protobuf message must be smaller than 2 GiB", bytes.size()),
         "use external data: save the model with its weights in a file of their own");
  const auto proto = std::make_shared<::onnx::ModelProto>();
  if (!proto->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    fail(fmt::format("is no readable ONNX protobuf ({} bytes)", bytes.size()),
         "it is damaged, cut short, or another kind of file");
  if (!proto->has_graph()) fail("is a protobuf without an ONNX graph", "it is damaged or another kind of file");
  mapped.release_pages();
  auto storage = std::make_shared<Storage>(std::move(mapped));
  storage->keep(proto);
  return Loader(file, std::move(storage)).load(*proto);
}

}  // namespace gonogo::onnx
