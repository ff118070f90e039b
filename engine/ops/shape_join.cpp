// Concat and Split along one axis. Source: onnx Operators.md, Concat-4/11/13, Split-2/11/13/18.
#include <cstring>

#include "engine/ops/attributes.hpp"
#include "engine/ops/shape_families.hpp"
#include "engine/ops/shape_support.hpp"

namespace gonogo::ops {
namespace {

/// A tensor seen as [outer, bytes of one slice along the axis].
struct Slices {
  std::int64_t outer = 1;
  std::size_t bytes = 0;
};

Slices slices_of(const core::Tensor& tensor, std::size_t axis) {
  Slices slices;
  for (std::size_t i = 0; i < axis; ++i) slices.outer *= tensor.shape[i];
  slices.bytes = slices.outer == 0 ? 0 : tensor.bytes() / static_cast<std::size_t>(slices.outer);
  return slices;
}

class Concat : public Op {
 public:
  explicit Concat(const Recipe& recipe) : place_(recipe.place) {
    Attributes attributes(recipe.node, place_);
    axis_ = attributes.required_integer("axis");
    attributes.finish();
  }
  [[nodiscard]] std::vector<ValueFacts> infer(std::span<const ValueFacts> inputs) const override {
    expect_inputs(place_, inputs, std::max<std::size_t>(1, inputs.size()), inputs.size());
    const ValueFacts& first = inputs[0];
    expect_whole_bytes(place_, first.dtype);
    const std::size_t axis = axis_of(place_, axis_, first.shape.size());
    core::Shape shape = first.shape;
    for (std::size_t i = 1; i < inputs.size(); ++i) {
      core::Shape wanted = first.shape;
      if (inputs[i].shape.size() == wanted.size()) wanted[axis] = inputs[i].shape[axis];
      if (inputs[i].dtype != first.dtype || inputs[i].shape != wanted)
        reject(place_, "input " + std::to_string(i) + ", as the first but for axis " + std::to_string(axis),
               std::string(core::name_of(first.dtype)) + core::to_string(wanted),
               std::string(core::name_of(inputs[i].dtype)) + core::to_string(inputs[i].shape));
      shape[axis] += inputs[i].shape[axis];
    }
    return {{first.dtype, shape}};
  }
  void run(const RunContext& context) const override {
    core::Tensor& to = context.outputs[0];
    const auto axis = static_cast<std::size_t>(axis_ < 0 ? axis_ + std::ssize(to.shape) : axis_);
    const Slices whole = slices_of(to, axis);
    std::size_t at = 0;
    for (const core::Tensor& from : context.inputs) {
      const std::size_t bytes = slices_of(from, axis).bytes;
      for (std::size_t i = 0; bytes > 0 && i < static_cast<std::size_t>(whole.outer); ++i)
        std::memcpy(to.data + i * whole.bytes + at, from.data + i * bytes, bytes);
      at += bytes;
    }
  }
  [[nodiscard]] core::Work work(std::span<const ValueFacts> inputs) const override {
    return moved(inputs, infer(inputs));
  }
  [[nodiscard]] std::string kernel(std::span<const ValueFacts>) const override { return "shape.concat"; }

 private:
  NodePlace place_;
  std::int64_t axis_ = 0;
};

/// Sizes come from the attribute `split` (before opset 13), the second input, or an even division. Since opset 18
/// num_outputs must be given for the latter, and the last part may be smaller.
class Split : public Op {
 public:
  explicit Split(const Recipe& recipe)
      : place_(recipe.place),
        parts_(std::ssize(recipe.node.outputs)),
        is_input_(recipe.opset >= 13),
        is_counted_(recipe.opset >= 18) {
    Attributes attributes(recipe.node, place_);
    axis_ = attributes.integer("axis", 0);
    if (!is_input_) sizes_ = attributes.integers("split", {});
    if (is_counted_) {
      has_count_ = attributes.has("num_outputs");
      const std::int64_t count = attributes.integer("num_outputs", parts_);
      if (count != parts_) reject(place_, "num_outputs", std::to_string(parts_), std::to_string(count));
    }
    attributes.finish();
  }
  [[nodiscard]] std::vector<ValueFacts> infer(std::span<const ValueFacts> inputs) const override {
    expect_inputs(place_, inputs, 1, is_input_ ? 2 : 1);
    expect_whole_bytes(place_, inputs[0].dtype);
    const std::size_t axis = axis_of(place_, axis_, inputs[0].shape.size());
    const bool has_sizes = is_input_ && has_input(inputs, 1);
    if (has_sizes && has_count_) reject(place_, "sizes", "split or num_outputs", "both");
    std::vector<std::int64_t> sizes = has_sizes ? known_integers(place_, inputs[1], "split") : sizes_;
    if (sizes.empty()) sizes = even_sizes(inputs[0].shape[axis]);
    check(sizes, inputs[0].shape[axis]);
    std::vector<ValueFacts> outputs;
    for (const std::int64_t size : sizes) {
      outputs.push_back({inputs[0].dtype, inputs[0].shape});
      outputs.back().shape[axis] = size;
    }
    return outputs;
  }
  void run(const RunContext& context) const override {
    const core::Tensor& from = context.inputs[0];
    const auto axis = static_cast<std::size_t>(axis_ < 0 ? axis_ + std::ssize(from.shape) : axis_);
    const Slices whole = slices_of(from, axis);
    std::size_t at = 0;
    for (core::Tensor& to : context.outputs) {
      const std::size_t bytes = slices_of(to, axis).bytes;
      if (to.data != nullptr)
        for (std::size_t i = 0; bytes > 0 && i < static_cast<std::size_t>(whole.outer); ++i)
          std::memcpy(to.data + i * bytes, from.data + i * whole.bytes + at, bytes);
      at += bytes;
    }
  }
  [[nodiscard]] core::Work work(std::span<const ValueFacts> inputs) const override {
    return moved(inputs.first(1), infer(inputs));
  }
  [[nodiscard]] std::string kernel(std::span<const ValueFacts>) const override { return "shape.split"; }

 private:
  [[nodiscard]] std::vector<std::int64_t> even_sizes(std::int64_t extent) const {
    if (is_counted_ && !has_count_) reject(place_, "sizes", "split or num_outputs", "neither");
    if (!is_counted_ && extent % parts_ != 0)
      reject(place_, "extent, a multiple of the outputs", std::to_string(parts_), std::to_string(extent));
    const std::int64_t part = (extent + parts_ - 1) / parts_;
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(parts_), part);
    sizes.back() = extent - part * (parts_ - 1);
    return sizes;
  }
  void check(const std::vector<std::int64_t>& sizes, std::int64_t extent) const {
    if (std::ssize(sizes) != parts_)
      reject(place_, "sizes, one an output", std::to_string(parts_), std::to_string(sizes.size()));
    std::int64_t sum = 0;
    for (const std::int64_t size : sizes)
      if (size < 0 || __builtin_add_overflow(sum, size, &sum))
        reject(place_, "sizes", "0 or more", core::to_string(sizes));
    if (sum != extent) reject(place_, "sizes, sum", std::to_string(extent), core::to_string(sizes));
  }
  NodePlace place_;
  std::int64_t parts_;
  bool is_input_;
  bool is_counted_;
  bool has_count_ = false;
  std::int64_t axis_ = 0;
  std::vector<std::int64_t> sizes_;
};

}  // namespace

std::unique_ptr<Op> make_concat(const Recipe& recipe) { return std::make_unique<Concat>(recipe); }
std::unique_ptr<Op> make_split(const Recipe& recipe) { return std::make_unique<Split>(recipe); }

}  // namespace gonogo::ops
