// Runs one operator on owned tensors: outputs pre-filled with NaN, workspace exactly as large as asked for.
#pragma once

#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "engine/ops/op.hpp"
#include "harness/core/allocation.hpp"
#include "harness/core/error.hpp"
#include "harness/core/half.hpp"

namespace gonogo::tests {

/// A tensor that owns its bytes.
struct Value {
  core::DType dtype = core::DType::f32;
  core::Shape shape;
  std::vector<std::byte> bytes;
  bool present = true;
  bool known = false;  // its values are given to planning

  [[nodiscard]] core::Tensor tensor() {
    return {dtype, shape, present && !bytes.empty() ? bytes.data() : nullptr, core::MemorySpace::host};
  }
  [[nodiscard]] ops::ValueFacts facts() const { return {dtype, shape, known ? bytes.data() : nullptr, present}; }
  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(core::count_of(shape)); }
  [[nodiscard]] float at(std::size_t i) const {
    return dtype == core::DType::f16 ? core::f16_to_f32(reinterpret_cast<const std::uint16_t*>(bytes.data())[i])
                                     : reinterpret_cast<const float*>(bytes.data())[i];
  }
  void set(std::size_t i, float v) {
    if (dtype == core::DType::f16)
      reinterpret_cast<std::uint16_t*>(bytes.data())[i] = core::f32_to_f16(v);
    else
      reinterpret_cast<float*>(bytes.data())[i] = v;
  }
};

[[nodiscard]] inline Value make_value(core::DType type, core::Shape shape) {
  Value value{type, std::move(shape), {}, true, false};
  value.bytes.assign(core::bytes_of(type, core::count_of(value.shape)), std::byte{0xff});
  return value;
}
[[nodiscard]] inline Value absent() { return {core::DType::f32, {0}, {}, false, false}; }

/// Values that vary without repeating soon, in [-1, 1).
[[nodiscard]] inline Value varied(core::DType type, core::Shape shape, std::uint64_t seed) {
  Value value = make_value(type, std::move(shape));
  std::uint64_t state = seed * 0x9e3779b97f4a7c15ull + 1;
  for (std::size_t i = 0; i < value.count(); ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    value.set(i, static_cast<float>(state >> 40) * 0x1p-23f - 1.0f);
  }
  return value;
}
template <class T>
[[nodiscard]] Value integers(core::Shape shape, const std::vector<T>& values) {
  Value value = make_value(sizeof(T) == 4 ? core::DType::i32 : core::DType::i64, std::move(shape));
  std::memcpy(value.bytes.data(), values.data(), value.bytes.size());
  return value;
}

struct Runner {
  onnx::Node node;
  ops::KernelChoice choice;
  int threads = 2;
  std::int64_t opset = 21;

  Runner(std::string domain, std::string op_type, std::size_t outputs = 1) {
    node.name = "the_node";
    node.domain = std::move(domain);
    node.op_type = std::move(op_type);
    for (std::size_t i = 0; i < outputs; ++i) node.outputs.push_back("out" + std::to_string(i));
  }

  [[nodiscard]] static std::vector<ops::ValueFacts> facts(const std::vector<Value>& inputs) {
    std::vector<ops::ValueFacts> facts;
    for (const Value& input : inputs) facts.push_back(input.facts());
    return facts;
  }
  [[nodiscard]] std::unique_ptr<ops::Op> make(const std::vector<Value>& inputs) const {
    onnx::Node named = node;
    named.inputs.clear();
    for (std::size_t i = 0; i < inputs.size(); ++i)
      named.inputs.push_back(inputs[i].present ? "in" + std::to_string(i) : "");
    return ops::make_op(named, opset, "model.onnx", facts(inputs), choice);
  }

  /// Runs into fresh outputs, or into the input `shared[i]` for output i where that is not -1. A kernel whose workspace
  /// comes from the plan must not allocate.
  std::vector<Value> run(std::vector<Value>& inputs, const std::vector<int>& shared = {}) const {
    const auto op = make(inputs);
    const auto known = facts(inputs);
    std::vector<Value> outputs;
    for (const ops::ValueFacts& fact : op->infer(known)) {
      outputs.push_back(make_value(fact.dtype, fact.shape));
      outputs.back().present = fact.present;
    }
    std::vector<core::Tensor> in, out;
    for (Value& input : inputs) in.push_back(input.tensor());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const int from = i < shared.size() ? shared[i] : -1;
      out.push_back(outputs[i].tensor());
      if (from >= 0) out.back().data = inputs[static_cast<std::size_t>(from)].bytes.data();
    }
    const core::HostBuffer workspace(op->workspace_bytes(known, kernels::Threads{threads}));
    const ops::RunContext context{in, out, {workspace.data(), workspace.size()}, kernels::Threads{threads}};
    if (op->capture(known)) {
      const core::ForbidAllocation forbid;
      op->run(context);
    } else {
      op->run(context);
    }
    return outputs;
  }

  /// The message of the InputError that making, planning or running throws; empty when none does.
  [[nodiscard]] std::string refusal(std::vector<Value> inputs) const {
    try {
      (void)run(inputs);
    } catch (const core::InputError& error) {
      return error.what();
    }
    return "";
  }
};

}  // namespace gonogo::tests
