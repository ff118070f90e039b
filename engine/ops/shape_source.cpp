// Shape, Constant, Range: values that come from shapes, attributes or scalars.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <variant>

#include "engine/ops/attributes.hpp"
#include "engine/ops/shape_families.hpp"
#include "engine/ops/shape_support.hpp"
#include "harness/core/narrow.hpp"

namespace gonogo::ops {
namespace {

/// [start, end) of the input's extents, both attributes since opset 15.
class Shape : public Op {
 public:
  explicit Shape(const Recipe& recipe) : place_(recipe.place) {
    Attributes attributes(recipe.node, place_);
    if (recipe.opset >= 15) {
      start_ = attributes.integer("start", 0);
      end_ = attributes.integer("end", std::int64_t{kMostRank});
    }
    attributes.finish();
  }
  [[nodiscard]] std::vector<ValueFacts> infer(std::span<const ValueFacts> inputs) const override {
    expect_inputs(place_, inputs, 1, 1);
    const auto [begin, end] = range(std::ssize(inputs[0].shape));
    return {{core::DType::i64, {end - begin}}};
  }
  void run(const RunContext& context) const override {
    const core::Shape& shape = context.inputs[0].shape;
    const auto [begin, end] = range(std::ssize(shape));
    for (std::int64_t i = begin; i < end; ++i)
      context.outputs[0].as<std::int64_t>()[i - begin] = shape[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] core::Work work(std::span<const ValueFacts>) const override { return {}; }
  [[nodiscard]] std::string kernel(std::span<const ValueFacts>) const override { return "shape.extents"; }

 private:
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> range(std::int64_t rank) const {
    const auto place = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank); };
    return {place(start_), std::max(place(start_), place(end_))};
  }
  NodePlace place_;
  std::int64_t start_ = 0;
  std::int64_t end_ = kMostRank;
};

class Constant : public Op {
 public:
  explicit Constant(const Recipe& recipe) : place_(recipe.place) {
    if (recipe.node.attributes.size() != 1)
      reject(place_, "attributes", "one value", std::to_string(recipe.node.attributes.size()));
    const auto& [name, value] = *recipe.node.attributes.begin();
    if (name == "value" && std::holds_alternative<core::Tensor>(value)) {
      tensor_ = std::get<core::Tensor>(value);
    } else if (name == "value_int" && std::holds_alternative<std::int64_t>(value)) {
      keep(core::DType::i64, {}, &std::get<std::int64_t>(value), 8);
    } else if (name == "value_float" && std::holds_alternative<float>(value)) {
      keep(core::DType::f32, {}, &std::get<float>(value), 4);
    } else if (name == "value_ints" && std::holds_alternative<std::vector<std::int64_t>>(value)) {
      const auto& values = std::get<std::vector<std::int64_t>>(value);
      keep(core::DType::i64, {std::ssize(values)}, values.data(), values.size() * 8);
    } else if (name == "value_floats" && std::holds_alternative<std::vector<float>>(value)) {
      const auto& values = std::get<std::vector<float>>(value);
      keep(core::DType::f32, {std::ssize(values)}, values.data(), values.size() * 4);
    } else {
      reject(place_, "attribute", "value, value_int(s) or value_float(s)", name);
    }
  }
  [[nodiscard]] std::vector<ValueFacts> infer(std::span<const ValueFacts> inputs) const override {
    expect_inputs(place_, inputs, 0, 0);
    return {{tensor_.dtype, tensor_.shape, data()}};
  }
  void run(const RunContext& context) const override {
    if (tensor_.bytes() > 0) std::memcpy(context.outputs[0].data, data(), tensor_.bytes());
  }
  [[nodiscard]] core::Work work(std::span<const ValueFacts>) const override { return {}; }
  [[nodiscard]] std::string kernel(std::span<const ValueFacts>) const override { return "shape.constant"; }

 private:
  void keep(core::DType dtype, core::Shape shape, const void* values, std::size_t bytes) {
    tensor_ = {dtype, std::move(shape)};
    words_.resize(bytes / 8 + 1);  // 8-byte words: aligned for every type
    if (bytes > 0) std::memcpy(words_.data(), values, bytes);
  }
  [[nodiscard]] const std::byte* data() const {
    return words_.empty() ? tensor_.data : reinterpret_cast<const std::byte*>(words_.data());
  }
  NodePlace place_;
  core::Tensor tensor_;
  std::vector<std::uint64_t> words_;
};

/// start, start + delta, ... before limit.
class Range : public Op {
 public:
  explicit Range(const Recipe& recipe) : place_(recipe.place) { Attributes(recipe.node, place_).finish(); }

  [[nodiscard]] std::vector<ValueFacts> infer(std::span<const ValueFacts> inputs) const override {
    expect_inputs(place_, inputs, 3, 3);
    const core::DType dtype = inputs[0].dtype;
    if (dtype != core::DType::i64 && dtype != core::DType::i32 && dtype != core::DType::f32)
      reject(place_, "element type", "int64, int32 or float32", std::string(core::name_of(dtype)));
    for (const ValueFacts& input : inputs) {
      if (input.dtype != dtype) reject(place_, "element types", "equal", std::string(core::name_of(input.dtype)));
      if (core::count_of(input.shape) != 1)
        reject(place_, "start, limit and delta", "scalars", core::to_string(input.shape));
      if (input.constant == nullptr)
        reject(place_, "start, limit and delta", "known before running", "computed from data");
    }
    return {{dtype, {count(dtype, inputs[0].constant, inputs[1].constant, inputs[2].constant)}}};
  }
  void run(const RunContext& context) const override {
    const auto fill = [&](auto zero) {
      using T = decltype(zero);
      // Every element is in range, but i * delta need not be: integers wrap on the way.
      using Number = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;
      const auto start = static_cast<Number>(*context.inputs[0].as<T>());
      const auto delta = static_cast<Number>(*context.inputs[2].as<T>());
      for (std::int64_t i = 0; i < context.outputs[0].count(); ++i)
        context.outputs[0].as<T>()[i] = static_cast<T>(start + static_cast<Number>(i) * delta);
    };
    if (context.outputs[0].dtype == core::DType::i64)
      fill(std::int64_t{});
    else if (context.outputs[0].dtype == core::DType::i32)
      fill(std::int32_t{});
    else
      fill(float{});
  }
  [[nodiscard]] core::Work work(std::span<const ValueFacts> inputs) const override { return moved({}, infer(inputs)); }
  [[nodiscard]] std::string kernel(std::span<const ValueFacts>) const override { return "shape.range"; }

 private:
  [[nodiscard]] std::int64_t count(core::DType dtype, const std::byte* start, const std::byte* limit,
                                   const std::byte* delta) const {
    const auto read = [dtype](const std::byte* value) -> long double {
      if (dtype == core::DType::i64) return static_cast<long double>(*reinterpret_cast<const std::int64_t*>(value));
      if (dtype == core::DType::i32) return static_cast<long double>(*reinterpret_cast<const std::int32_t*>(value));
      return static_cast<long double>(*reinterpret_cast<const float*>(value));
    };
    if (read(delta) == 0) reject(place_, "delta", "not 0", "0");
    const long double elements = std::ceil((read(limit) - read(start)) / read(delta));
    constexpr long double kMost = 1 << 30;
    if (!(elements <= kMost))
      reject(place_, "elements, at most", std::to_string(1 << 30), std::to_string(static_cast<double>(elements)));
    return elements > 0 ? static_cast<std::int64_t>(elements) : 0;
  }
  NodePlace place_;
};

}  // namespace

std::unique_ptr<Op> make_shape(const Recipe& recipe) { return std::make_unique<Shape>(recipe); }
std::unique_ptr<Op> make_constant(const Recipe& recipe) { return std::make_unique<Constant>(recipe); }
std::unique_ptr<Op> make_range(const Recipe& recipe) { return std::make_unique<Range>(recipe); }

}  // namespace gonogo::ops
