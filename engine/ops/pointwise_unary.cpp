// Activations of one operand (FastGelu with an optional bias), and SwiGlu. Source: onnx
// Operators.md, Gelu-20, Swish-24; ONNX Runtime ContribOperators.md, Gelu, FastGelu, QuickGelu.
#include <fmt/format.h>

#include "engine/ops/attributes.hpp"
#include "engine/ops/float_io.hpp"
#include "engine/ops/pointwise_parts.hpp"
#include "harness/core/half.hpp"
#include "kernels/activation/activation.hpp"
#include "kernels/activation/binary.hpp"

namespace gonogo::ops::pointwise {
namespace {

using kernels::activation::Binary;
using kernels::activation::Unary;

void want_float(const ValueFacts& value, const NodePlace& place) {
  if (value.dtype != core::DType::f32 && value.dtype != core::DType::f16)
    reject(place, "type, one of", "float32, float16", std::string(core::name_of(value.dtype)));
}

core::Work elementwise_work(std::span<const ValueFacts> inputs, const ValueFacts& output, std::int64_t flops_each) {
  core::Work work;
  for (const ValueFacts& in : inputs)
    if (in.present)
      work.activation_bytes += static_cast<std::int64_t>(core::bytes_of(in.dtype, core::count_of(in.shape)));
  work.activation_bytes += static_cast<std::int64_t>(core::bytes_of(output.dtype, core::count_of(output.shape)));
  work.flops = flops_each * core::count_of(output.shape);
  return work;
}

class UnaryOp final : public Op {
 public:
  struct Rules {
    Unary function;
    float alpha = 0.0f;
    const char* name = "";
    bool bias = false;  // input 1, [last extent], added first
  };
  UnaryOp(Rules rules, NodePlace place) : rules_(rules), place_(std::move(place)) {}

  std::vector<ValueFacts> infer(std::span<const ValueFacts> inputs) const override {
    want_float(inputs[0], place_);
    if (rules_.bias) {
      const core::Shape& x = inputs[0].shape;
      if (inputs[1].dtype != inputs[0].dtype)
        reject(place_, "type of bias", std::string(core::name_of(inputs[0].dtype)),
               std::string(core::name_of(inputs[1].dtype)));
      if (x.empty() || inputs[1].shape != core::Shape{x.back()})
        reject(place_, "shape of bias, the last extent of x", core::to_string(x), core::to_string(inputs[1].shape));
    }
    return {{inputs[0].dtype, inputs[0].shape}};
  }

  std::size_t workspace_bytes(std::span<const ValueFacts> inputs, kernels::Threads) const override {
    const std::vector<ValueFacts> outputs = infer(inputs);
    return f32_scratch_bytes(inputs) + f32_scratch_bytes(outputs);
  }

  void run(const RunContext& context) const override {
    const core::Tensor& x = context.inputs[0];
    if (x.count() == 0) return;
    core::Scratch scratch(context.workspace);
    const float* from = read_f32(x, scratch);
    const float* bias = rules_.bias ? read_f32(context.inputs[1], scratch) : nullptr;
    const WriteF32 to(context.outputs[0], scratch);
    if (bias != nullptr) {
      kernels::activation::apply(Binary::add, kernels::activation::walk_of(x.shape, context.inputs[1].shape), from,
                                 bias, to.data(), context.threads);
      from = to.data();
    }
    kernels::activation::apply(rules_.function, rules_.alpha, from, to.data(), x.count(), context.threads);
    to.store();
  }

  core::Work work(std::span<const ValueFacts> inputs) const override {
    return elementwise_work(inputs, infer(inputs)[0], 8);
  }
  std::string kernel(std::span<const ValueFacts>) const override { return rules_.name; }

 private:
  Rules rules_;
  NodePlace place_;
};

std::unique_ptr<Op> make(UnaryOp::Rules rules, const onnx::Node& node, const NodePlace& place, Attributes& attributes) {
  attributes.finish();
  rules.bias = rules.bias && node.inputs.size() > 1 && !node.inputs[1].empty();
  const std::size_t wanted = rules.bias ? 2 : 1;
  if (node.inputs.empty() || node.inputs[0].empty()) reject(place, "input", "present", "absent");
  for (std::size_t i = wanted; i < node.inputs.size(); ++i)
    if (!node.inputs[i].empty())
      reject(place, "inputs", fmt::format("{}", wanted), fmt::format("{}", node.inputs.size()));
  return std::make_unique<UnaryOp>(rules, place);
}

/// (gate * sigmoid(gate)) * up. In float16 each of the three results is rounded, as the operators it stands for would.
class SwiGlu final : public Op {
 public:
  explicit SwiGlu(NodePlace place) : place_(std::move(place)) {}

  std::vector<ValueFacts> infer(std::span<const ValueFacts> inputs) const override {
    want_float(inputs[0], place_);
    if (inputs[0].dtype != inputs[1].dtype)
      reject(place_, "types of gate and up", fmt::format("equal, {}", core::name_of(inputs[0].dtype)),
             std::string(core::name_of(inputs[1].dtype)));
    if (inputs[0].shape != inputs[1].shape)
      reject(place_, "shape of up, that of gate", core::to_string(inputs[0].shape), core::to_string(inputs[1].shape));
    return {{inputs[0].dtype, inputs[0].shape}};
  }

  std::size_t workspace_bytes(std::span<const ValueFacts> inputs, kernels::Threads) const override {
    const std::vector<ValueFacts> outputs = infer(inputs);
    return f32_scratch_bytes(inputs) + f32_scratch_bytes(outputs);
  }

  void run(const RunContext& context) const override {
    core::Scratch scratch(context.workspace);
    const core::Tensor& y = context.outputs[0];
    const std::int64_t count = y.count();
    if (count == 0) return;
    const float* gate = read_f32(context.inputs[0], scratch);
    const float* up = read_f32(context.inputs[1], scratch);
    const WriteF32 to(y, scratch);
    if (y.dtype == core::DType::f32) return kernels::activation::swiglu(gate, up, to.data(), count, context.threads);
    const auto walk = kernels::activation::walk_of(y.shape, y.shape);
    const auto round = [&] {  // through the output's own storage
      to.store();
      core::f16_to_f32(y.as<std::uint16_t>(), to.data(), static_cast<std::size_t>(count));
    };
    kernels::activation::apply(Unary::sigmoid, 0.0f, gate, to.data(), count, context.threads);
    round();
    kernels::activation::apply(Binary::mul, walk, gate, static_cast<const float*>(to.data()), to.data(),
                               context.threads);
    round();
    kernels::activation::apply(Binary::mul, walk, static_cast<const float*>(to.data()), up, to.data(), context.threads);
    to.store();
  }

  core::Work work(std::span<const ValueFacts> inputs) const override {
    return elementwise_work(inputs, infer(inputs)[0], 6);
  }
  std::string kernel(std::span<const ValueFacts>) const override { return "swiglu"; }

 private:
  NodePlace place_;
};

}  // namespace

std::unique_ptr<Op> make_relu(const onnx::Node& node, std::int64_t, const NodePlace& place, Inputs,
                              const KernelChoice&) {
  Attributes attributes(node, place);
  return make({.function = Unary::relu, .name = "relu"}, node, place, attributes);
}
std::unique_ptr<Op> make_sigmoid(const onnx::Node& node, std::int64_t, const NodePlace& place, Inputs,
                                 const KernelChoice&) {
  Attributes attributes(node, place);
  return make({.function = Unary::sigmoid, .name = "sigmoid"}, node, place, attributes);
}
std::unique_ptr<Op> make_tanh(const onnx::Node& node, std::int64_t, const NodePlace& place, Inputs,
                              const KernelChoice&) {
  Attributes attributes(node, place);
  return make({.function = Unary::tanh, .name = "tanh"}, node, place, attributes);
}
std::unique_ptr<Op> make_gelu(const onnx::Node& node, std::int64_t, const NodePlace& place, Inputs,
                              const KernelChoice&) {
  Attributes attributes(node, place);
  const std::string form = attributes.text("approximate", "none");
  if (form != "none" && form != "tanh") reject(place, "attribute approximate, one of", "none, tanh", form);
  if (form == "tanh") return make({.function = Unary::gelu_tanh, .name = "gelu_tanh"}, node, place, attributes);
  return make({.function = Unary::gelu_erf, .name = "gelu_erf"}, node, place, attributes);
}
std::unique_ptr<Op> make_gelu_erf(const onnx::Node& node, std::int64_t, const NodePlace& place, Inputs,
                                  const KernelChoice&) {
  Attributes attributes(node, place);
  return make({.function = Unary::gelu_erf, .name = "gelu_erf"}, node, place, attributes);
}
std::unique_ptr<Op> make_fast_gelu(const onnx::Node& node, std::int64_t, const NodePlace& place, Inputs,
                                   const KernelChoice&) {
  Attributes attributes(node, place);
  return make({.function = Unary::gelu_tanh, .name = "gelu_tanh", .bias = true}, node, place, attributes);
}
std::unique_ptr<Op> make_quick_gelu(const onnx::Node& node, std::int64_t, const NodePlace& place, Inputs,
                                    const KernelChoice&) {
  Attributes attributes(node, place);
  return make({.function = Unary::quick_gelu, .alpha = attributes.real("alpha", 1.702f), .name = "quick_gelu"}, node,
              place, attributes);
}
std::unique_ptr<Op> make_swish(const onnx::Node& node, std::int64_t, const NodePlace& place, Inputs,
                               const KernelChoice&) {
  Attributes attributes(node, place);
  return make({.function = Unary::quick_gelu, .alpha = attributes.real("alpha", 1.0f), .name = "swish"}, node, place,
              attributes);
}
std::unique_ptr<Op> make_swiglu(const onnx::Node& node, std::int64_t, const NodePlace& place, Inputs,
                                const KernelChoice&) {
  Attributes(node, place).finish();
  if (node.inputs.size() != 2) reject(place, "inputs", "2", fmt::format("{}", node.inputs.size()));
  return std::make_unique<SwiGlu>(place);
}

}  // namespace gonogo::ops::pointwise
