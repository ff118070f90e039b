// Slice, Transpose, Expand: strided copies. Source: onnx Operators.md, Slice-10/11/13, Transpose-1/13, Expand-8/13.
#include <algorithm>

#include "engine/ops/attributes.hpp"
#include "engine/ops/shape_families.hpp"
#include "engine/ops/shape_support.hpp"

namespace gonogo::ops {
namespace {

class StridedOp : public Op {
 public:
  explicit StridedOp(const Recipe& recipe) : place_(recipe.place) {}
  [[nodiscard]] core::Work work(std::span<const ValueFacts> inputs) const override {
    return moved(inputs.first(1), infer(inputs));
  }

 protected:
  [[nodiscard]] static StridedCopy copy_to(const core::Tensor& to) {
    StridedCopy copy;
    copy.rank = to.shape.size();
    std::copy(to.shape.begin(), to.shape.end(), copy.extents.begin());
    copy.element_bytes = static_cast<std::size_t>(core::bits_of(to.dtype)) / 8;
    return copy;
  }
  NodePlace place_;
};

class Transpose : public StridedOp {
 public:
  explicit Transpose(const Recipe& recipe) : StridedOp(recipe) {
    Attributes attributes(recipe.node, place_);
    has_order_ = attributes.has("perm");
    order_ = attributes.integers("perm", {});
    attributes.finish();
  }
  [[nodiscard]] std::vector<ValueFacts> infer(std::span<const ValueFacts> inputs) const override {
    expect_inputs(place_, inputs, 1, 1);
    expect_whole_bytes(place_, inputs[0].dtype);
    const core::Shape& from = inputs[0].shape;
    if (has_order_) {
      core::Shape sorted = order_;
      std::sort(sorted.begin(), sorted.end());
      for (std::size_t i = 0; i < std::max(sorted.size(), from.size()); ++i)
        if (i >= sorted.size() || i >= from.size() || sorted[i] != static_cast<std::int64_t>(i))
          reject(place_, "perm, a permutation of the axes of", core::to_string(from), core::to_string(order_));
    }
    core::Shape to;
    for (std::size_t i = 0; i < from.size(); ++i) to.push_back(from[source_axis(i, from.size())]);
    return {{inputs[0].dtype, to}};
  }
  void run(const RunContext& context) const override {
    const core::Tensor& from = context.inputs[0];
    StridedCopy copy = copy_to(context.outputs[0]);
    const Extents strides = dense_strides(from.shape);
    for (std::size_t i = 0; i < copy.rank; ++i) copy.strides[i] = strides[source_axis(i, copy.rank)];
    run_strided_copy(copy, from.data, context.outputs[0].data);
  }
  [[nodiscard]] std::string kernel(std::span<const ValueFacts>) const override { return "shape.transpose"; }

 private:
  [[nodiscard]] std::size_t source_axis(std::size_t axis, std::size_t rank) const {
    return has_order_ ? static_cast<std::size_t>(order_[axis]) : rank - 1 - axis;
  }
  bool has_order_ = false;
  core::Shape order_;
};

class Expand : public StridedOp {
 public:
  explicit Expand(const Recipe& recipe) : StridedOp(recipe) { Attributes(recipe.node, place_).finish(); }

  [[nodiscard]] std::vector<ValueFacts> infer(std::span<const ValueFacts> inputs) const override {
    expect_inputs(place_, inputs, 2, 2);
    expect_whole_bytes(place_, inputs[0].dtype);
    const core::Shape& from = inputs[0].shape;
    core::Shape to = known_integers(place_, inputs[1], "shape");
    if (to.size() > kMostRank) reject(place_, "rank, at most", std::to_string(kMostRank), std::to_string(to.size()));
    if (to.size() < from.size()) to.insert(to.begin(), from.size() - to.size(), 1);
    for (std::size_t i = 0; i < from.size(); ++i) {
      std::int64_t& wanted = to[to.size() - from.size() + i];
      if (wanted == 1)
        wanted = from[i];
      else if (wanted != from[i] && from[i] != 1)
        reject(place_, "expand, broadcast of", core::to_string(from), core::to_string(to));
    }
    for (const std::int64_t extent : to)
      if (extent < 0) reject(place_, "extents", "0 or more", core::to_string(to));
    return {{inputs[0].dtype, to}};
  }
  void run(const RunContext& context) const override {
    const core::Tensor& from = context.inputs[0];
    StridedCopy copy = copy_to(context.outputs[0]);
    const Extents strides = dense_strides(from.shape);
    const std::size_t added = copy.rank - from.shape.size();
    for (std::size_t i = 0; i < from.shape.size(); ++i) copy.strides[added + i] = from.shape[i] == 1 ? 0 : strides[i];
    run_strided_copy(copy, from.data, context.outputs[0].data);
  }
  [[nodiscard]] std::string kernel(std::span<const ValueFacts>) const override { return "shape.expand"; }
};

/// data, starts, ends, axes?, steps?: all known before running, as shapes depend on them.
class Slice : public StridedOp {
 public:
  explicit Slice(const Recipe& recipe) : StridedOp(recipe) {
    if (recipe.opset < 10) reject(place_, "opset, at least", "10", std::to_string(recipe.opset));
    Attributes(recipe.node, place_).finish();
  }
  [[nodiscard]] std::vector<ValueFacts> infer(std::span<const ValueFacts> inputs) const override {
    expect_inputs(place_, inputs, 3, 5);
    expect_whole_bytes(place_, inputs[0].dtype);
    core::Shape to = inputs[0].shape;
    const auto starts = known_indices(place_, inputs[1], "starts");
    const auto ends = known_indices(place_, inputs[2], "ends");
    std::vector<std::int64_t> axes;
    if (has_input(inputs, 3))
      axes = known_indices(place_, inputs[3], "axes");
    else
      for (std::size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
    (void)axes_of(place_, axes, to.size());  // in range, each once
    const auto steps =
        has_input(inputs, 4) ? known_indices(place_, inputs[4], "steps") : std::vector<std::int64_t>(starts.size(), 1);
    if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
      reject(place_, "ends, axes and steps, as many as starts", std::to_string(starts.size()),
             std::to_string(ends.size()) + ", " + std::to_string(axes.size()) + " and " + std::to_string(steps.size()));
    for (std::size_t i = 0; i < starts.size(); ++i) {
      if (steps[i] == 0) reject(place_, "step", "not 0", "0");
      const std::size_t axis = axis_of(place_, axes[i], to.size());
      to[axis] = cut(to[axis], starts[i], ends[i], steps[i]).count;
    }
    return {{inputs[0].dtype, to}};
  }
  void run(const RunContext& context) const override {
    const core::Tensor& from = context.inputs[0];
    StridedCopy copy = copy_to(context.outputs[0]);
    copy.strides = dense_strides(from.shape);
    const bool has_axes = context.inputs.size() > 3 && context.inputs[3].data != nullptr;
    const bool has_steps = context.inputs.size() > 4 && context.inputs[4].data != nullptr;
    for (std::int64_t i = 0; i < context.inputs[1].count(); ++i) {
      const std::int64_t named = has_axes ? at(context.inputs[3], i) : i;
      const auto axis = static_cast<std::size_t>(named < 0 ? named + std::ssize(from.shape) : named);
      const std::int64_t step = has_steps ? at(context.inputs[4], i) : 1;
      const Cut cut_here = cut(from.shape[axis], at(context.inputs[1], i), at(context.inputs[2], i), step);
      copy.offset += cut_here.first * copy.strides[axis];
      copy.strides[axis] = cut_here.count > 1 ? copy.strides[axis] * step : 0;
    }
    run_strided_copy(copy, from.data, context.outputs[0].data);
  }
  [[nodiscard]] std::string kernel(std::span<const ValueFacts>) const override { return "shape.slice"; }

 private:
  struct Cut {
    std::int64_t first = 0;
    std::int64_t count = 0;
  };
  static std::int64_t at(const core::Tensor& tensor, std::int64_t i) {
    return tensor.dtype == core::DType::i64 ? tensor.as<std::int64_t>()[i] : tensor.as<std::int32_t>()[i];
  }
  /// Negative positions count from the end, positions outside are clamped; backwards, the end may lie before the first.
  static Cut cut(std::int64_t extent, std::int64_t start, std::int64_t end, std::int64_t step) {
    if (extent == 0) return {0, 0};
    const std::int64_t high = step > 0 ? extent : extent - 1;
    const auto from_end = [extent](std::int64_t position) { return position < 0 ? position + extent : position; };
    const std::int64_t first = std::clamp<std::int64_t>(from_end(start), 0, high);
    const std::int64_t last = std::clamp<std::int64_t>(from_end(end), step > 0 ? 0 : -1, high);
    if (step > 0 ? first >= last : first <= last) return {0, 0};
    const std::int64_t span = step > 0 ? last - first : first - last;
    // |step| without overflow for the lowest int64.
    const std::uint64_t stride = step > 0 ? static_cast<std::uint64_t>(step) : -static_cast<std::uint64_t>(step);
    return {first, static_cast<std::int64_t>((static_cast<std::uint64_t>(span) - 1) / stride) + 1};
  }
};

}  // namespace

std::unique_ptr<Op> make_slice(const Recipe& recipe) { return std::make_unique<Slice>(recipe); }
std::unique_ptr<Op> make_transpose(const Recipe& recipe) { return std::make_unique<Transpose>(recipe); }
std::unique_ptr<Op> make_expand(const Recipe& recipe) { return std::make_unique<Expand>(recipe); }

}  // namespace gonogo::ops
