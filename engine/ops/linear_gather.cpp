// Gather on any axis and of any type, as byte copies; com.microsoft.GatherBlockQuantized.
#include <fmt/format.h>

#include <array>

#include "engine/ops/attributes.hpp"
#include "engine/ops/float_io.hpp"
#include "engine/ops/linear.hpp"
#include "harness/core/error.hpp"
#include "kernels/embedding/gather.hpp"

namespace gonogo::ops {
namespace {

using core::DType;
namespace embedding = kernels::embedding;

void check_indices(const NodePlace& place, const ValueFacts& indices) {
  if (indices.dtype != DType::i32 && indices.dtype != DType::i64)
    reject(place, "type of indices, one of", "int32, int64", std::string(core::name_of(indices.dtype)));
}

/// Throws when an index lies outside [-extent, extent).
embedding::Indices checked(const NodePlace& place, const core::Tensor& tensor, std::int64_t extent) {
  const embedding::Indices indices{tensor.dtype, tensor.data, tensor.count()};
  if (const auto bad = indices.out_of_range(extent))
    reject(place, fmt::format("index {}", *bad), fmt::format("in [{}, {})", -extent, extent),
           std::to_string(indices.at(*bad)));
  return indices;
}

core::Shape replace_axis(const core::Shape& data, std::size_t axis, const core::Shape& indices) {
  core::Shape out(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(axis));
  out.insert(out.end(), indices.begin(), indices.end());
  out.insert(out.end(), data.begin() + static_cast<std::ptrdiff_t>(axis) + 1, data.end());
  return out;
}

class Gather final : public Op {
 public:
  Gather(std::int64_t axis, NodePlace place) : axis_(axis), place_(std::move(place)) {}

  std::vector<ValueFacts> infer(std::span<const ValueFacts> inputs) const override {
    if (inputs.size() != 2) reject(place_, "inputs", "2", std::to_string(inputs.size()));
    check_indices(place_, inputs[1]);
    if (core::bits_of(inputs[0].dtype) % 8 != 0)
      reject(place_, "type of data", "a whole number of bytes", std::string(core::name_of(inputs[0].dtype)));
    return {{inputs[0].dtype, replace_axis(inputs[0].shape, axis(inputs[0].shape), inputs[1].shape)}};
  }

  void run(const RunContext& context) const override {
    const core::Tensor& data = context.inputs[0];
    const std::size_t axis = this->axis(data.shape);
    embedding::GatherProblem problem;
    problem.extent = data.shape[axis];
    problem.inner_bytes = static_cast<std::size_t>(core::bits_of(data.dtype)) / 8;
    for (std::size_t i = 0; i < axis; ++i) problem.outer *= data.shape[i];
    for (std::size_t i = axis + 1; i < data.shape.size(); ++i)
      problem.inner_bytes *= static_cast<std::size_t>(data.shape[i]);
    embedding::gather(problem, data.data, checked(place_, context.inputs[1], problem.extent), context.outputs[0].data);
  }

  core::Work work(std::span<const ValueFacts> inputs) const override {
    const ValueFacts out = infer(inputs).front();
    const auto bytes = static_cast<std::int64_t>(core::bytes_of(out.dtype, core::count_of(out.shape)));
    core::Work work;
    (inputs[0].constant != nullptr ? work.weight_bytes : work.activation_bytes) += bytes;
    work.activation_bytes +=
        bytes + static_cast<std::int64_t>(core::bytes_of(inputs[1].dtype, core::count_of(inputs[1].shape)));
    return work;
  }

  std::string kernel(std::span<const ValueFacts>) const override { return "gather.copy"; }

 private:
  [[nodiscard]] std::size_t axis(const core::Shape& data) const {
    const auto rank = static_cast<std::int64_t>(data.size());
    if (axis_ < -rank || axis_ >= rank)
      reject(place_, "axis", fmt::format("in [{}, {})", -rank, rank), std::to_string(axis_));
    return static_cast<std::size_t>(axis_ < 0 ? axis_ + rank : axis_);
  }

  std::int64_t axis_;
  NodePlace place_;
};

enum Input : std::size_t { kData, kIndices, kScales, kZeroPoints };

class GatherBlockQuantized final : public Op {
 public:
  GatherBlockQuantized(int bits, std::int64_t block_size, NodePlace place)
      : bits_(bits), block_size_(block_size), place_(std::move(place)) {}

  std::vector<ValueFacts> infer(std::span<const ValueFacts> inputs) const override {
    const embedding::QuantizedRows p = problem(inputs);
    check_indices(place_, inputs[kIndices]);
    want_shape("scales", inputs[kScales].shape, {p.rows, p.blocks()});
    if (p.zero_points) {
      const ValueFacts zero_points = inputs[kZeroPoints];
      if (zero_points.dtype != inputs[kData].dtype)
        reject(place_, "type of zero_points", std::string(core::name_of(inputs[kData].dtype)) + " as data",
               std::string(core::name_of(zero_points.dtype)));
      const bool bytes = p.storage == embedding::QuantizedRows::Storage::bytes;
      want_shape("zero_points", zero_points.shape, {p.rows, bytes ? (p.blocks() * p.bits + 7) / 8 : p.blocks()});
    }
    return {{inputs[kScales].dtype, replace_axis({p.rows, p.width}, 0, inputs[kIndices].shape)}};
  }

  std::size_t workspace_bytes(std::span<const ValueFacts> inputs, kernels::Threads) const override {
    return f32_scratch_bytes(infer(inputs));
  }

  void run(const RunContext& context) const override {
    const embedding::QuantizedRows p = problem(facts_of(context.inputs));
    core::Scratch scratch(context.workspace);
    const WriteF32 out(context.outputs[0], scratch);
    embedding::QuantizedRowsArgs args;
    args.data = context.inputs[kData].as<const std::uint8_t>();
    args.scales = context.inputs[kScales].data;
    args.zero_points = p.zero_points ? context.inputs[kZeroPoints].as<const std::uint8_t>() : nullptr;
    args.out = out.data();
    embedding::gather_quantized(p, args, checked(place_, context.inputs[kIndices], p.rows));
    out.store();
  }

  core::Work work(std::span<const ValueFacts> inputs) const override {
    return embedding::work(problem(inputs), core::count_of(inputs[kIndices].shape));
  }

  std::string kernel(std::span<const ValueFacts>) const override { return "gather_block_quantized.scalar"; }

 private:
  void want_shape(std::string_view name, const core::Shape& got, const core::Shape& wanted) const {
    if (got != wanted) reject(place_, fmt::format("shape of {}", name), core::to_string(wanted), core::to_string(got));
  }

  [[nodiscard]] embedding::QuantizedRows problem(std::span<const ValueFacts> inputs) const {
    using Storage = embedding::QuantizedRows::Storage;
    if (inputs.size() < 3 || inputs.size() > 4) reject(place_, "inputs", "3 or 4", std::to_string(inputs.size()));
    const ValueFacts& data = inputs[kData];
    if (data.dtype != DType::u8 && data.dtype != DType::u4 && data.dtype != DType::i4)
      reject(place_, "type of data, one of", "uint8, uint4, int4", std::string(core::name_of(data.dtype)));
    if (data.shape.size() != 2) reject(place_, "rank of data", "2", std::to_string(data.shape.size()));
    embedding::QuantizedRows p;
    p.storage = data.dtype == DType::u8 ? Storage::bytes : data.dtype == DType::u4 ? Storage::u4 : Storage::i4;
    p.bits = bits_;
    p.block_size = block_size_;
    p.scales = inputs[kScales].dtype;
    if (auto ok = embedding::eligible(p); !ok) reject(place_, ok.reason());
    p.rows = data.shape[0];
    p.width = p.storage == Storage::bytes ? data.shape[1] * 8 / p.bits : data.shape[1];
    p.zero_points = fact_at(inputs, kZeroPoints).present;
    return p;
  }

  int bits_;
  std::int64_t block_size_;
  NodePlace place_;
};

}  // namespace

OpPtr make_gather(const onnx::Node& node, std::int64_t, const NodePlace& place, std::span<const ValueFacts>,
                  const KernelChoice&) {
  Attributes attributes(node, place);
  const std::int64_t axis = attributes.integer("axis", 0);
  attributes.finish();
  return std::make_unique<Gather>(axis, place);
}

OpPtr make_gather_block_quantized(const onnx::Node& node, std::int64_t, const NodePlace& place,
                                  std::span<const ValueFacts> inputs, const KernelChoice&) {
  Attributes attributes(node, place);
  const std::int64_t bits = attributes.integer("bits", 4);
  if (bits != 2 && bits != 4 && bits != 8) reject(place, "bits, one of", "2, 4, 8", std::to_string(bits));
  const std::int64_t block_size = attributes.integer("block_size", 128);
  attributes.only("gather_axis", std::int64_t{0});
  const std::int64_t quantize_axis = attributes.integer("quantize_axis", 1);
  if (quantize_axis != 1 && quantize_axis != -1)
    reject(place, "quantize_axis", "1, the last", std::to_string(quantize_axis));
  attributes.finish();
  auto op = std::make_unique<GatherBlockQuantized>(static_cast<int>(bits), block_size, place);
  // With constant tables everything but the indices' shape is known: find faults at load.
  const bool constant = inputs.size() >= 3 && inputs[kData].constant != nullptr && inputs[kScales].constant != nullptr;
  if (constant) (void)op->infer(inputs);
  return op;
}

}  // namespace gonogo::ops
