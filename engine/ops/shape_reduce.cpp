// ReduceSum and ReduceMax over axes, integers and floats. Source: onnx Operators.md, ReduceSum-1/11/13,
// ReduceMax-1/11/12/13/18/20.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/ops/attributes.hpp"
#include "engine/ops/shape_families.hpp"
#include "engine/ops/shape_support.hpp"
#include "harness/core/half.hpp"

namespace gonogo::ops {
namespace {

enum class Reduction { sum, max };

/// Offsets of a strided walk over the extents, in elements.
struct Walk {
  std::size_t rank = 0;
  Extents extents{};
  Extents strides{};
  std::int64_t count = 1;

  void add(std::int64_t extent, std::int64_t stride) {
    extents[rank] = extent;
    strides[rank++] = stride;
    count *= extent;
  }
  [[nodiscard]] std::int64_t offset(std::int64_t index) const {
    std::int64_t offset = 0;
    for (std::size_t i = rank; i-- > 0;) {
      offset += index % extents[i] * strides[i];
      index /= extents[i];
    }
    return offset;
  }
};

class Reduce : public Op {
 public:
  Reduce(const Recipe& recipe, Reduction reduction)
      : place_(recipe.place),
        reduction_(reduction),
        is_input_(recipe.opset >= (reduction == Reduction::sum ? 13 : 18)) {
    Attributes attributes(recipe.node, place_);
    keeps_axes_ = attributes.integer("keepdims", 1) != 0;
    if (is_input_)
      is_noop_when_empty_ = attributes.integer("noop_with_empty_axes", 0) != 0;
    else
      axes_ = attributes.integers("axes", {});
    attributes.finish();
  }
  [[nodiscard]] std::vector<ValueFacts> infer(std::span<const ValueFacts> inputs) const override {
    expect_inputs(place_, inputs, 1, is_input_ ? 2 : 1);
    const ValueFacts& from = inputs[0];
    constexpr core::DType kTypes[] = {core::DType::f32, core::DType::f16, core::DType::i32, core::DType::i64};
    if (std::find(std::begin(kTypes), std::end(kTypes), from.dtype) == std::end(kTypes))
      reject(place_, "element type", "float32, float16, int32 or int64", std::string(core::name_of(from.dtype)));
    const auto named = is_input_ && has_input(inputs, 1) ? known_integers(place_, inputs[1], "axes") : axes_;
    (void)axes_of(place_, named, from.shape.size());  // in range, each once
    const std::uint32_t reduced = mask_of(named.data(), named.size(), from.shape.size());
    core::Shape to;
    for (std::size_t i = 0; i < from.shape.size(); ++i)
      if ((reduced >> i & 1) == 0)
        to.push_back(from.shape[i]);
      else if (keeps_axes_)
        to.push_back(1);
    return {{from.dtype, to}};
  }
  void run(const RunContext& context) const override {
    const core::Tensor& from = context.inputs[0];
    const bool has_axes = is_input_ && context.inputs.size() > 1 && context.inputs[1].data != nullptr;
    const std::uint32_t reduced = has_axes
                                      ? mask_of(context.inputs[1].as<std::int64_t>(),
                                                static_cast<std::size_t>(context.inputs[1].count()), from.shape.size())
                                      : mask_of(axes_.data(), axes_.size(), from.shape.size());
    const Extents strides = dense_strides(from.shape);
    Walk kept;
    Walk inner;
    for (std::size_t i = 0; i < from.shape.size(); ++i)
      ((reduced >> i & 1) != 0 ? inner : kept).add(from.shape[i], strides[i]);
    core::Tensor& to = context.outputs[0];
    switch (from.dtype) {
      case core::DType::i64:
        return integers<std::int64_t>(kept, inner, from, to);
      case core::DType::i32:
        return integers<std::int32_t>(kept, inner, from, to);
      case core::DType::f32:
        return reals(
            kept, inner, [&](std::int64_t i) { return from.as<float>()[i]; },
            [&](std::int64_t i, float value) { to.as<float>()[i] = value; });
      default:
        return reals(
            kept, inner, [&](std::int64_t i) { return core::f16_to_f32(from.as<std::uint16_t>()[i]); },
            [&](std::int64_t i, float value) { to.as<std::uint16_t>()[i] = core::f32_to_f16(value); });
    }
  }
  [[nodiscard]] core::Work work(std::span<const ValueFacts> inputs) const override {
    core::Work work = moved(inputs.first(1), infer(inputs));
    work.flops = core::count_of(inputs[0].shape);
    return work;
  }
  [[nodiscard]] std::string kernel(std::span<const ValueFacts>) const override {
    return reduction_ == Reduction::sum ? "shape.reduce_sum" : "shape.reduce_max";
  }

 private:
  /// A bit an axis; no axes means all, or none when noop_with_empty_axes says so.
  [[nodiscard]] std::uint32_t mask_of(const std::int64_t* axes, std::size_t count, std::size_t rank) const {
    if (count == 0) return is_noop_when_empty_ ? 0U : (1U << rank) - 1;
    std::uint32_t mask = 0;
    for (std::size_t i = 0; i < count; ++i)
      mask |= 1U << (axes[i] < 0 ? axes[i] + static_cast<std::int64_t>(rank) : axes[i]);
    return mask;
  }
  template <class T>
  void integers(const Walk& kept, const Walk& inner, const core::Tensor& from, core::Tensor& to) const {
    using Unsigned = std::make_unsigned_t<T>;  // sums wrap, as in ONNX Runtime, without undefined behaviour
    for (std::int64_t o = 0; o < kept.count; ++o) {
      const T* values = from.as<T>() + kept.offset(o);
      Unsigned sum = 0;
      T most = std::numeric_limits<T>::lowest();
      for (std::int64_t i = 0; i < inner.count; ++i) {
        const T value = values[inner.offset(i)];
        sum += static_cast<Unsigned>(value);
        most = std::max(most, value);
      }
      to.as<T>()[o] = reduction_ == Reduction::sum ? static_cast<T>(sum) : most;
    }
  }
  /// Sums in double, rounded once. A NaN among the values is the maximum.
  template <class Read, class Write>
  void reals(const Walk& kept, const Walk& inner, Read read, Write write) const {
    for (std::int64_t o = 0; o < kept.count; ++o) {
      const std::int64_t base = kept.offset(o);
      double sum = 0;
      float most = -std::numeric_limits<float>::infinity();
      for (std::int64_t i = 0; i < inner.count; ++i) {
        const float value = read(base + inner.offset(i));
        sum += static_cast<double>(value);
        if (std::isnan(value) || value > most) most = std::isnan(most) ? most : value;
      }
      write(o, reduction_ == Reduction::sum ? static_cast<float>(sum) : most);
    }
  }
  NodePlace place_;
  Reduction reduction_;
  bool is_input_;
  bool keeps_axes_ = true;
  bool is_noop_when_empty_ = false;
  std::vector<std::int64_t> axes_;
};

}  // namespace

std::unique_ptr<Op> make_reduce_sum(const Recipe& recipe) { return std::make_unique<Reduce>(recipe, Reduction::sum); }
std::unique_ptr<Op> make_reduce_max(const Recipe& recipe) { return std::make_unique<Reduce>(recipe, Reduction::max); }

}  // namespace gonogo::ops
