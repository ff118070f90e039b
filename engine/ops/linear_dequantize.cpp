// DequantizeLinear: y = (x - zero_point) * scale per tensor, per axis, or per block along an axis (opset 21).
// Source: onnx Operators.md, DequantizeLinear-21. An absent zero point is 0 for every type.
#include <fmt/format.h>

#include <algorithm>

#include "engine/ops/attributes.hpp"
#include "engine/ops/float_io.hpp"
#include "engine/ops/linear.hpp"
#include "harness/core/error.hpp"
#include "harness/core/half.hpp"

namespace gonogo::ops {
namespace {

using core::DType;

std::int32_t integer_at(const core::Tensor& tensor, std::int64_t i) {
  switch (tensor.dtype) {
    case DType::u8:
      return tensor.as<std::uint8_t>()[i];
    case DType::i8:
      return tensor.as<std::int8_t>()[i];
    case DType::i32:
      return tensor.as<std::int32_t>()[i];
    default:
      break;
  }
  const int nibble = (tensor.as<std::uint8_t>()[i / 2] >> (i % 2 * 4)) & 15;
  return tensor.dtype == DType::i4 && nibble >= 8 ? nibble - 16 : nibble;
}

float float_at(const core::Tensor& tensor, std::int64_t i) {
  return tensor.dtype == DType::f16 ? core::f16_to_f32(tensor.as<std::uint16_t>()[i]) : tensor.as<float>()[i];
}

class DequantizeLinear final : public Op {
 public:
  DequantizeLinear(std::int64_t axis, std::int64_t block_size, NodePlace place)
      : axis_(axis), block_size_(block_size), place_(std::move(place)) {}

  std::vector<ValueFacts> infer(std::span<const ValueFacts> inputs) const override {
    (void)extents(inputs);
    return {{inputs[1].dtype, inputs[0].shape}};
  }

  std::size_t workspace_bytes(std::span<const ValueFacts> inputs, kernels::Threads) const override {
    return f32_scratch_bytes(infer(inputs));
  }

  void run(const RunContext& context) const override {
    const Extents e = extents(facts_of(context.inputs));
    core::Scratch scratch(context.workspace);
    const WriteF32 y(context.outputs[0], scratch);
    const core::Tensor& x = context.inputs[0];
    const core::Tensor zero_points = tensor_at(context.inputs, 2);
#pragma omp parallel for num_threads(context.threads.count) schedule(static) collapse(2)
    for (std::int64_t outer = 0; outer < e.outer; ++outer)
      for (std::int64_t a = 0; a < e.axis; ++a)
        for (std::int64_t inner = 0; inner < e.inner; ++inner) {
          const std::int64_t at = (outer * e.axis + a) * e.inner + inner;
          const std::int64_t parameter = e.parameter(outer, a, inner);
          const std::int64_t zero = zero_points.data == nullptr ? 0 : integer_at(zero_points, parameter);
          y.data()[at] = static_cast<float>(integer_at(x, at) - zero) * float_at(context.inputs[1], parameter);
        }
    y.store();
  }

  core::Work work(std::span<const ValueFacts> inputs) const override {
    core::Work work;
    for (const ValueFacts& value : inputs) {
      if (!value.present) continue;
      const auto bytes = static_cast<std::int64_t>(core::bytes_of(value.dtype, core::count_of(value.shape)));
      (value.constant != nullptr ? work.weight_bytes : work.activation_bytes) += bytes;
    }
    const std::int64_t count = core::count_of(inputs[0].shape);
    work.activation_bytes += static_cast<std::int64_t>(core::bytes_of(inputs[1].dtype, count));
    work.flops = 2 * count;
    return work;
  }

  std::string kernel(std::span<const ValueFacts>) const override { return "dequantize_linear.scalar"; }

 private:
  enum class Granularity { tensor, axis, block };

  /// x as [outer, axis, inner] and how its elements find their scale.
  struct Extents {
    std::int64_t outer = 1;
    std::int64_t axis = 1;
    std::int64_t inner = 1;
    std::int64_t block = 1;
    Granularity granularity = Granularity::tensor;

    [[nodiscard]] std::int64_t parameter(std::int64_t o, std::int64_t a, std::int64_t i) const {
      switch (granularity) {
        case Granularity::tensor:
          return 0;
        case Granularity::axis:
          return a;
        case Granularity::block:
          break;
      }
      return (o * ((axis + block - 1) / block) + a / block) * inner + i;
    }
  };

  [[nodiscard]] Extents extents(std::span<const ValueFacts> inputs) const {
    if (inputs.size() < 2 || inputs.size() > 3) reject(place_, "inputs", "2 or 3", std::to_string(inputs.size()));
    check_types(inputs);
    const core::Shape& x = inputs[0].shape;
    const core::Shape& scale = inputs[1].shape;
    Extents e;
    e.granularity = block_size_ > 0                            ? Granularity::block
                    : scale.empty() || scale == core::Shape{1} ? Granularity::tensor
                                                               : Granularity::axis;
    if (e.granularity == Granularity::tensor) {
      e.inner = core::count_of(x);
    } else {
      const auto rank = static_cast<std::int64_t>(x.size());
      if (axis_ < -rank || axis_ >= rank)
        reject(place_, "axis", fmt::format("in [{}, {})", -rank, rank), std::to_string(axis_));
      const auto axis = static_cast<std::size_t>(axis_ < 0 ? axis_ + rank : axis_);
      for (std::size_t i = 0; i < x.size(); ++i) (i < axis ? e.outer : i == axis ? e.axis : e.inner) *= x[i];
      e.block = std::max<std::int64_t>(block_size_, 1);
      core::Shape wanted{e.axis};
      if (e.granularity == Granularity::block) {
        wanted = x;
        wanted[axis] = (e.axis + e.block - 1) / e.block;
      }
      if (scale != wanted) reject(place_, "shape of scale", core::to_string(wanted), core::to_string(scale));
    }
    if (const ValueFacts zero = fact_at(inputs, 2); zero.present && zero.shape != scale)
      reject(place_, "shape of zero_point", core::to_string(scale) + " as scale", core::to_string(zero.shape));
    return e;
  }

  void check_types(std::span<const ValueFacts> inputs) const {
    const DType x = inputs[0].dtype;
    if (x != DType::u8 && x != DType::i8 && x != DType::i32 && x != DType::u4 && x != DType::i4)
      reject(place_, "type of x, one of", "uint8, int8, int32, uint4, int4", std::string(core::name_of(x)));
    if (inputs[1].dtype != DType::f32 && inputs[1].dtype != DType::f16)
      reject(place_, "type of scale, one of", "float32, float16", std::string(core::name_of(inputs[1].dtype)));
    if (const ValueFacts zero = fact_at(inputs, 2); zero.present && zero.dtype != x)
      reject(place_, "type of zero_point", std::string(core::name_of(x)) + " as x",
             std::string(core::name_of(zero.dtype)));
  }

  std::int64_t axis_;
  std::int64_t block_size_;
  NodePlace place_;
};

}  // namespace

OpPtr make_dequantize_linear(const onnx::Node& node, std::int64_t, const NodePlace& place,
                             std::span<const ValueFacts> inputs, const KernelChoice&) {
  Attributes attributes(node, place);
  const std::int64_t axis = attributes.integer("axis", 1);
  const std::int64_t block_size = attributes.integer("block_size", 0);
  if (block_size < 0) reject(place, "block_size", "0 or more", std::to_string(block_size));
  const std::int64_t output = attributes.integer("output_dtype", 0);
  if (const ValueFacts scale = fact_at(inputs, 1); output != 0 && output != static_cast<std::int64_t>(scale.dtype))
    reject(place, "output_dtype", "absent or the scale's type", std::to_string(output));
  attributes.finish();
  return std::make_unique<DequantizeLinear>(axis, block_size, place);
}

}  // namespace gonogo::ops
