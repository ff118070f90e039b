#include "tests/ops/opcase.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include <onnx/onnx_pb.h>
#pragma GCC diagnostic pop

#include "engine/onnx/model.hpp"
#include "harness/core/allocation.hpp"
#include "harness/core/error.hpp"
#include "harness/core/half.hpp"
#include "tests/data_path.hpp"

namespace gonogo::tests {
namespace {

using Json = nlohmann::json;

/// A tensor with its bytes.
struct Held {
  core::Tensor tensor;
  std::vector<std::byte> bytes;
};

Held make_held(core::DType type, core::Shape shape) {
  Held held;
  held.tensor = {type, std::move(shape), nullptr, core::MemorySpace::host};
  held.bytes.resize(std::max<std::size_t>(held.tensor.bytes(), 1));
  return held;
}

void set_value(Held& held, std::int64_t i, double value) {
  std::byte* data = held.bytes.data();
  switch (held.tensor.dtype) {
    case core::DType::f32:
      reinterpret_cast<float*>(data)[i] = static_cast<float>(value);
      break;
    case core::DType::f16:
      reinterpret_cast<std::uint16_t*>(data)[i] = static_cast<std::uint16_t>(value);
      break;  // bits
    case core::DType::i32:
      reinterpret_cast<std::int32_t*>(data)[i] = static_cast<std::int32_t>(value);
      break;
    case core::DType::i64:
      reinterpret_cast<std::int64_t*>(data)[i] = static_cast<std::int64_t>(value);
      break;
    default:
      throw std::runtime_error("case value of another type");
  }
}

double get_value(const core::Tensor& tensor, std::int64_t i) {
  if (tensor.dtype == core::DType::f32) return tensor.as<float>()[i];
  if (tensor.dtype == core::DType::f16) return core::f16_to_f32(tensor.as<std::uint16_t>()[i]);
  throw std::runtime_error("case output of another type");
}

core::DType type_named(const std::string& name) {
  static const std::map<std::string, core::DType> kTypes = {{"f32", core::DType::f32},
                                                            {"f16", core::DType::f16},
                                                            {"i32", core::DType::i32},
                                                            {"i64", core::DType::i64},
                                                            {"bf16", core::DType::bf16}};
  return kTypes.at(name);
}

Held from_json(const Json& value) {
  Held held = make_held(type_named(value.at(0)), value.at(1).get<core::Shape>());
  const auto count = held.tensor.count();
  if (value.at(2).size() != static_cast<std::size_t>(count))
    throw std::runtime_error("case with a wrong number of values");
  for (std::int64_t i = 0; i < count; ++i)
    set_value(held, i, value.at(2).at(static_cast<std::size_t>(i)).get<double>());
  return held;
}

Held from_proto(const ::onnx::TensorProto& proto) {
  Held held = make_held(core::dtype_from_onnx(proto.data_type()).value(),
                        core::Shape(proto.dims().begin(), proto.dims().end()));
  if (!proto.raw_data().empty())
    std::copy_n(reinterpret_cast<const std::byte*>(proto.raw_data().data()), held.tensor.bytes(), held.bytes.begin());
  else
    for (int i = 0; i < proto.float_data_size(); ++i) set_value(held, i, proto.float_data(i));
  return held;
}

onnx::Node node_from(const ::onnx::NodeProto& proto) {
  onnx::Node node;
  node.name = proto.name();
  node.domain = proto.domain();
  node.op_type = proto.op_type();
  node.inputs.assign(proto.input().begin(), proto.input().end());
  node.outputs.assign(proto.output().begin(), proto.output().end());
  for (const auto& attribute : proto.attribute()) {
    onnx::AttributeValue& value = node.attributes[attribute.name()];
    if (attribute.type() == ::onnx::AttributeProto::INT)
      value = static_cast<std::int64_t>(attribute.i());
    else if (attribute.type() == ::onnx::AttributeProto::FLOAT)
      value = attribute.f();
    else if (attribute.type() == ::onnx::AttributeProto::STRING)
      value = attribute.s();
    else
      throw std::runtime_error("case attribute of another kind");
  }
  return node;
}

/// |got - want| <= 1e-5 of the largest value, or half a unit in the last place of float16.
void compare(CaseOutcome& outcome, const std::string& name, const Json& want, const core::Tensor& got) {
  const auto shape = want.at("dims").get<core::Shape>();
  if (shape != got.shape) {
    outcome.detail = fmt::format("{}: shape {}, wanted {}", name, core::to_string(got.shape), core::to_string(shape));
    outcome.kind = CaseOutcome::Kind::wrong;
    return;
  }
  const auto wanted = [&](std::int64_t i) {
    const Json& value = want.at("data").at(static_cast<std::size_t>(i));
    return got.dtype == core::DType::f16 ? core::f16_to_f32(value.get<std::uint16_t>())
                                         : value.get<double>();  // float16 as bits
  };
  double largest = 0, worst = 0;
  for (std::int64_t i = 0; i < got.count(); ++i) largest = std::max(largest, std::abs(wanted(i)));
  const double share = got.dtype == core::DType::f16 ? 0x1p-11 : 1e-5;
  for (std::int64_t i = 0; i < got.count(); ++i) {
    const double difference = std::abs(get_value(got, i) - wanted(i));
    if (!(difference <= share * largest)) outcome.kind = CaseOutcome::Kind::wrong;
    if (!(difference <= worst)) worst = difference;
  }
  outcome.detail += fmt::format("{}: worst {:.3g} of {:.3g}; ", name, worst, largest);
}

/// Runs the node with every value known beforehand, outputs pre-filled with NaN.
std::deque<Held> run_node(const onnx::Node& node, std::int64_t opset, const std::string& file,
                          std::map<std::string, Held>& values, const ops::KernelChoice& choice) {
  std::vector<ops::ValueFacts> facts;
  std::vector<core::Tensor> inputs;
  for (const std::string& name : node.inputs) {
    if (name.empty()) {
      facts.push_back({core::DType::f32, {0}, nullptr, false});
      inputs.push_back({core::DType::f32, {0}, nullptr, core::MemorySpace::host});
      continue;
    }
    Held& held = values.at(name);
    held.tensor.data = held.bytes.data();
    facts.push_back({held.tensor.dtype, held.tensor.shape, held.bytes.data(), true});
    inputs.push_back(held.tensor);
  }
  const auto op = ops::make_op(node, opset, file, facts, choice);
  const kernels::Threads threads{2};
  std::deque<Held> held;
  std::vector<core::Tensor> outputs;
  for (const ops::ValueFacts& fact : op->infer(facts)) {
    held.push_back(make_held(fact.dtype, fact.shape));
    std::fill(held.back().bytes.begin(), held.back().bytes.end(), std::byte{0xff});
    held.back().tensor.data = held.back().bytes.data();
    outputs.push_back(held.back().tensor);
  }
  const core::HostBuffer workspace(op->workspace_bytes(facts, threads));
  op->run({inputs, outputs, {workspace.data(), workspace.size()}, threads});
  return held;
}

CaseOutcome run_case(const Json& test, const ops::KernelChoice& choice) {
  CaseOutcome outcome;
  outcome.tag = test.at("tag");
  const Json& expect = test.at("expect");
  outcome.refusal_expected = expect.contains("error");
  const std::string file = data_path("opcases/" + test.at("model").get<std::string>()).string();
  ::onnx::ModelProto model;
  std::ifstream stream(file, std::ios::binary);
  if (!model.ParseFromIstream(&stream)) throw std::runtime_error("cannot parse " + file);
  if (model.graph().node_size() != 1) throw std::runtime_error(outcome.tag + " has more than one node");
  std::map<std::string, std::int64_t> opsets;
  for (const auto& opset : model.opset_import()) opsets[opset.domain()] = opset.version();
  const onnx::Node node = node_from(model.graph().node(0));
  std::map<std::string, Held> values;
  for (const auto& initializer : model.graph().initializer()) values[initializer.name()] = from_proto(initializer);
  for (const auto& [name, value] : test.at("feeds").items()) values[name] = from_json(value);
  // A graph input may declare a type that the feeds' notation cannot express (bfloat16).
  for (const auto& input : model.graph().input())
    if (const auto type = core::dtype_from_onnx(input.type().tensor_type().elem_type());
        type && values.contains(input.name()))
      values[input.name()].tensor.dtype = *type;
  try {
    const auto outputs = run_node(node, opsets[node.domain], file, values, choice);
    outcome.kind = outcome.refusal_expected ? CaseOutcome::Kind::wrong : CaseOutcome::Kind::right;
    if (outcome.refusal_expected)
      outcome.detail = "computed what ONNX Runtime refuses";
    else
      for (std::size_t i = 0; i < node.outputs.size(); ++i)
        if (!node.outputs[i].empty())
          compare(outcome, node.outputs[i], expect.at(node.outputs[i]), outputs.at(i).tensor);
  } catch (const core::InputError& error) {
    outcome.kind = CaseOutcome::Kind::refused;
    outcome.detail = error.what();
  }
  return outcome;
}

}  // namespace

std::vector<CaseOutcome> run_opcases(const std::vector<std::string>& prefixes, const ops::KernelChoice& choice) {
  std::vector<CaseOutcome> outcomes;
  std::ifstream stream(data_path("opcases/cases.jsonl"));
  for (std::string line; std::getline(stream, line);) {
    const Json test = Json::parse(line);
    const auto tag = test.at("tag").get<std::string>();
    if (std::any_of(prefixes.begin(), prefixes.end(),
                    [&](const std::string& prefix) { return tag.starts_with(prefix); }))
      outcomes.push_back(run_case(test, choice));
  }
  return outcomes;
}

}  // namespace gonogo::tests
