// Add, Sub, Mul, Div with NumPy broadcasting, over float32, float16, int32 and int64.
#include <fmt/format.h>

#include "engine/ops/attributes.hpp"
#include "engine/ops/float_io.hpp"
#include "engine/ops/pointwise_parts.hpp"
#include "kernels/activation/binary.hpp"

namespace gonogo::ops::pointwise {
namespace {

using kernels::activation::Binary;

class BinaryOp final : public Op {
 public:
  BinaryOp(Binary op, const char* name, NodePlace place) : op_(op), name_(name), place_(std::move(place)) {}

  std::vector<ValueFacts> infer(std::span<const ValueFacts> inputs) const override {
    const core::DType type = inputs[0].dtype;
    if (type != inputs[1].dtype)
      reject(place_, "types of the operands", fmt::format("equal, {}", core::name_of(type)),
             std::string(core::name_of(inputs[1].dtype)));
    const bool known =
        type == core::DType::f32 || type == core::DType::f16 || type == core::DType::i32 || type == core::DType::i64;
    if (!known)
      reject(place_, "type of the operands, one of", "float32, float16, int32, int64",
             std::string(core::name_of(type)));
    const auto shape = kernels::activation::broadcast(inputs[0].shape, inputs[1].shape);
    if (!shape)
      reject(place_, "shapes of the operands", "that broadcast",
             core::to_string(inputs[0].shape) + " and " + core::to_string(inputs[1].shape));
    constexpr std::size_t kMaxRank = kernels::activation::BroadcastWalk::kMaxRank;
    if (shape->size() > kMaxRank)
      reject(place_, "rank, at most", fmt::format("{}", kMaxRank), fmt::format("{}", shape->size()));
    return {{type, *shape}};
  }

  std::size_t workspace_bytes(std::span<const ValueFacts> inputs, kernels::Threads) const override {
    const std::vector<ValueFacts> outputs = infer(inputs);
    return f32_scratch_bytes(inputs) + f32_scratch_bytes(outputs);
  }

  void run(const RunContext& context) const override {
    const core::Tensor& a = context.inputs[0];
    const core::Tensor& b = context.inputs[1];
    const core::Tensor& y = context.outputs[0];
    if (y.count() == 0) return;
    const auto walk = kernels::activation::walk_of(a.shape, b.shape);
    if (a.dtype == core::DType::i32) return run_integers<std::int32_t>(walk, context);
    if (a.dtype == core::DType::i64) return run_integers<std::int64_t>(walk, context);
    core::Scratch scratch(context.workspace);
    const float* left = read_f32(a, scratch);
    const float* right = read_f32(b, scratch);
    const WriteF32 to(y, scratch);
    kernels::activation::apply(op_, walk, left, right, to.data(), context.threads);
    to.store();
  }

  core::Work work(std::span<const ValueFacts> inputs) const override {
    const ValueFacts out = infer(inputs)[0];
    core::Work work;
    for (const ValueFacts& in : inputs) {
      const auto bytes = static_cast<std::int64_t>(core::bytes_of(in.dtype, core::count_of(in.shape)));
      (in.constant != nullptr ? work.weight_bytes : work.activation_bytes) += bytes;
    }
    work.activation_bytes += static_cast<std::int64_t>(core::bytes_of(out.dtype, core::count_of(out.shape)));
    work.flops = core::count_of(out.shape);
    return work;
  }

  std::string kernel(std::span<const ValueFacts>) const override { return name_; }

 private:
  template <class T>
  void run_integers(const kernels::activation::BroadcastWalk& walk, const RunContext& context) const {
    const core::Tensor& b = context.inputs[1];
    // The mask sub-graph's integers: small, and a wrapped value would be a wrong length.
    if (op_ == Binary::div)
      for (std::int64_t i = 0; i < b.count(); ++i)
        if (b.as<T>()[i] == 0 || b.as<T>()[i] == -1)
          reject(place_, "integer divisor, other than", "0 and -1", fmt::format("{}", b.as<T>()[i]));
    kernels::activation::apply(op_, walk, context.inputs[0].as<T>(), b.as<T>(), context.outputs[0].as<T>(),
                               context.threads);
  }

  Binary op_;
  const char* name_;
  NodePlace place_;
};

std::unique_ptr<Op> make(Binary op, const char* name, const onnx::Node& node, const NodePlace& place) {
  Attributes(node, place).finish();
  if (node.inputs.size() != 2) reject(place, "inputs", "2", fmt::format("{}", node.inputs.size()));
  return std::make_unique<BinaryOp>(op, name, place);
}

}  // namespace

std::unique_ptr<Op> make_add(const onnx::Node& node, std::int64_t, const NodePlace& place, Inputs,
                             const KernelChoice&) {
  return make(Binary::add, "add", node, place);
}
std::unique_ptr<Op> make_sub(const onnx::Node& node, std::int64_t, const NodePlace& place, Inputs,
                             const KernelChoice&) {
  return make(Binary::sub, "sub", node, place);
}
std::unique_ptr<Op> make_mul(const onnx::Node& node, std::int64_t, const NodePlace& place, Inputs,
                             const KernelChoice&) {
  return make(Binary::mul, "mul", node, place);
}
std::unique_ptr<Op> make_div(const onnx::Node& node, std::int64_t, const NodePlace& place, Inputs,
                             const KernelChoice&) {
  return make(Binary::div, "div", node, place);
}

}  // namespace gonogo::ops::pointwise
