// One operator made, inferred and run on small tensors written in the test.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "engine/ops/op.hpp"
#include "harness/core/allocation.hpp"
#include "harness/core/error.hpp"

namespace gonogo::tests {

/// A tensor that owns its bytes.
struct OwnedTensor {
  core::Tensor tensor;
  core::HostBuffer buffer;
};

template <class T>
OwnedTensor tensor_of(core::DType dtype, core::Shape shape, const std::vector<T>& values) {
  OwnedTensor owned{{dtype, std::move(shape)}, core::HostBuffer(values.size() * sizeof(T) + 1)};
  owned.tensor.data = owned.buffer.data();
  std::copy(values.begin(), values.end(), owned.tensor.as<T>());
  return owned;
}
inline OwnedTensor floats(core::Shape shape, const std::vector<float>& values) {
  return tensor_of(core::DType::f32, std::move(shape), values);
}
inline OwnedTensor longs(core::Shape shape, const std::vector<std::int64_t>& values) {
  return tensor_of(core::DType::i64, std::move(shape), values);
}
inline OwnedTensor ints(core::Shape shape, const std::vector<std::int32_t>& values) {
  return tensor_of(core::DType::i32, std::move(shape), values);
}
inline OwnedTensor absent() { return {{core::DType::f32, {0}}, {}}; }

/// Outputs and their bytes, which outlive the run.
struct Outputs {
  std::vector<core::Tensor> tensors;
  std::deque<core::HostBuffer> buffers;
  [[nodiscard]] const core::Tensor& operator[](std::size_t index) const { return tensors.at(index); }
};

class OpRun {
 public:
  OpRun(std::string op_type, std::int64_t opset)
      : opset_(opset), node_{.name = std::string("n"), .op_type = std::move(op_type)} {
    outputs(1);
  }
  OpRun& outputs(std::size_t count) { return node_.outputs.assign(count, std::string("y")), *this; }
  OpRun& attribute(const std::string& name, onnx::AttributeValue value) {
    return node_.attributes.emplace(name, std::move(value)), *this;
  }
  OpRun& input(OwnedTensor tensor) { return inputs_.push_back(std::move(tensor)), *this; }
  /// The last input is data, unknown before running.
  OpRun& unknown() { return known_until_ = inputs_.size() - 1, *this; }

  /// Outputs, pre-filled with 0xFF: NaN as floats, -1 as integers.
  Outputs run() {
    const std::vector<ops::ValueFacts> facts = this->facts();
    op_ = ops::make_op(node_, opset_, "test.onnx", facts, {});
    Outputs outputs;
    for (const ops::ValueFacts& fact : op_->infer(facts)) {
      core::Tensor& output = outputs.tensors.emplace_back(core::Tensor{fact.dtype, fact.shape});
      output.data = outputs.buffers.emplace_back(output.bytes() + 1).data();
      std::fill_n(output.data, output.bytes(), std::byte{0xFF});
    }
    std::vector<core::Tensor> inputs;
    for (const OwnedTensor& input : inputs_) inputs.push_back(input.tensor);
    op_->run({inputs, outputs.tensors, {}, {1}});
    return outputs;
  }
  /// The refusal; empty when there is none.
  std::string refusal() {
    try {
      (void)run();
    } catch (const core::InputError& error) {
      return error.what();
    }
    return "";
  }
  [[nodiscard]] bool is_view() const { return op_->is_view(); }

 private:
  [[nodiscard]] std::vector<ops::ValueFacts> facts() const {
    std::vector<ops::ValueFacts> facts;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const core::Tensor& tensor = inputs_[i].tensor;
      facts.push_back({tensor.dtype, tensor.shape, i < known_until_ ? tensor.data : nullptr, tensor.data != nullptr});
    }
    return facts;
  }
  std::int64_t opset_;
  onnx::Node node_;
  std::vector<OwnedTensor> inputs_;
  std::size_t known_until_ = 99;
  std::unique_ptr<ops::Op> op_;
};

template <class T>
std::vector<T> values_of(const core::Tensor& tensor) {
  return {tensor.as<T>(), tensor.as<T>() + tensor.count()};
}

}  // namespace gonogo::tests
