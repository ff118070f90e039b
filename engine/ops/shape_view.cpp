// Reshape, Flatten, Squeeze, Unsqueeze, Identity. Source: onnx Operators.md, Reshape-5/13/14/19/21,
// Squeeze/Unsqueeze-1/11/13.
#include <algorithm>
#include <cstring>
#include <optional>

#include "engine/ops/attributes.hpp"
#include "engine/ops/shape_families.hpp"
#include "engine/ops/shape_support.hpp"

namespace gonogo::ops {
namespace {

class ViewOp : public Op {
 public:
  explicit ViewOp(const Recipe& recipe) : place_(recipe.place) {}

  [[nodiscard]] std::vector<ValueFacts> infer(std::span<const ValueFacts> inputs) const override {
    // The values are the input's: known when those are.
    return {{inputs.empty() ? core::DType::f32 : inputs[0].dtype, shape_of(inputs),
             inputs.empty() ? nullptr : inputs[0].constant}};
  }
  void run(const RunContext& context) const override {
    const core::Tensor& from = context.inputs[0];
    core::Tensor& to = context.outputs[0];
    if (to.data != from.data && from.bytes() > 0) std::memcpy(to.data, from.data, from.bytes());
  }
  [[nodiscard]] core::Work work(std::span<const ValueFacts>) const override { return {}; }
  [[nodiscard]] std::string kernel(std::span<const ValueFacts>) const override { return "shape.view"; }
  [[nodiscard]] bool is_view() const override { return true; }

 protected:
  [[nodiscard]] virtual core::Shape shape_of(std::span<const ValueFacts> inputs) const = 0;
  NodePlace place_;
};

class Identity : public ViewOp {
 public:
  explicit Identity(const Recipe& recipe) : ViewOp(recipe) { Attributes(recipe.node, place_).finish(); }

 private:
  [[nodiscard]] core::Shape shape_of(std::span<const ValueFacts> inputs) const override {
    expect_inputs(place_, inputs, 1, 1);
    return inputs[0].shape;
  }
};

class Reshape : public ViewOp {
 public:
  explicit Reshape(const Recipe& recipe) : ViewOp(recipe) {
    Attributes attributes(recipe.node, place_);
    if (recipe.opset < 5) reject(place_, "opset, at least", "5", std::to_string(recipe.opset));
    is_zero_literal_ = recipe.opset >= 14 && attributes.integer("allowzero", 0) != 0;
    attributes.finish();
  }

 private:
  [[nodiscard]] core::Shape shape_of(std::span<const ValueFacts> inputs) const override {
    expect_inputs(place_, inputs, 2, 2);
    const core::Shape& from = inputs[0].shape;
    core::Shape to = known_integers(place_, inputs[1], "shape");
    if (to.size() > kMostRank) reject(place_, "rank, at most", std::to_string(kMostRank), std::to_string(to.size()));
    const auto refuse = [&](const std::string& rule) {
      reject(place_, rule, core::to_string(from), core::to_string(to));
    };
    std::optional<std::size_t> open;
    std::int64_t known = 1;
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (to[i] == 0 && !is_zero_literal_) {
        if (i >= from.size()) refuse("reshape, extent 0 copies an extent of the input");
        to[i] = from[i];
      }
      if (to[i] < -1) refuse("reshape, extents -1 or more");
      if (to[i] == -1 && open) refuse("reshape, at most one extent of -1");
      if (to[i] == -1)
        open = i;
      else if (__builtin_mul_overflow(known, to[i], &known))
        refuse("reshape, as many elements");
    }
    const std::int64_t count = core::count_of(from);
    if (open) {
      if (known == 0 || count % known != 0) refuse("reshape, as many elements");
      to[*open] = count / known;
    } else if (known != count) {
      refuse("reshape, as many elements");
    }
    return to;
  }
  bool is_zero_literal_ = false;
};

class Flatten : public ViewOp {
 public:
  explicit Flatten(const Recipe& recipe) : ViewOp(recipe) {
    Attributes attributes(recipe.node, place_);
    axis_ = attributes.integer("axis", 1);
    attributes.finish();
  }

 private:
  [[nodiscard]] core::Shape shape_of(std::span<const ValueFacts> inputs) const override {
    expect_inputs(place_, inputs, 1, 1);
    const core::Shape& from = inputs[0].shape;
    // The axis may also stand after the last one.
    const std::size_t axis = axis_ == std::ssize(from) ? from.size() : axis_of(place_, axis_, from.size());
    const auto at = from.begin() + static_cast<std::ptrdiff_t>(axis);
    return {core::count_of({from.begin(), at}), core::count_of({at, from.end()})};
  }
  std::int64_t axis_ = 1;
};

/// Axes are an attribute before opset 13 and the second input since.
class AxesOp : public ViewOp {
 public:
  explicit AxesOp(const Recipe& recipe) : ViewOp(recipe), is_input_(recipe.opset >= 13) {
    Attributes attributes(recipe.node, place_);
    if (!is_input_) axes_ = attributes.integers("axes", {});
    attributes.finish();
  }

 protected:
  [[nodiscard]] std::vector<std::int64_t> axes(std::span<const ValueFacts> inputs) const {
    expect_inputs(place_, inputs, 1, is_input_ ? 2 : 1);
    return is_input_ && has_input(inputs, 1) ? known_integers(place_, inputs[1], "axes") : axes_;
  }

 private:
  bool is_input_;
  std::vector<std::int64_t> axes_;
};

class Squeeze : public AxesOp {
 public:
  using AxesOp::AxesOp;

 private:
  [[nodiscard]] core::Shape shape_of(std::span<const ValueFacts> inputs) const override {
    const auto named = axes(inputs);
    const core::Shape& from = inputs[0].shape;
    const auto dropped = axes_of(place_, named, from.size());
    core::Shape to;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const bool is_named = std::binary_search(dropped.begin(), dropped.end(), i);
      if (is_named && from[i] != 1) reject(place_, "squeezed extent", "1", std::to_string(from[i]));
      if (!is_named && !(named.empty() && from[i] == 1)) to.push_back(from[i]);
    }
    return to;
  }
};

class Unsqueeze : public AxesOp {
 public:
  using AxesOp::AxesOp;

 private:
  [[nodiscard]] core::Shape shape_of(std::span<const ValueFacts> inputs) const override {
    const auto named = axes(inputs);
    if (named.empty()) reject(place_, "axes", "at least one", "none");
    core::Shape to = inputs[0].shape;
    if (to.size() + named.size() > kMostRank)
      reject(place_, "rank, at most", std::to_string(kMostRank), std::to_string(to.size() + named.size()));
    for (const std::size_t axis : axes_of(place_, named, to.size() + named.size()))
      to.insert(to.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    return to;
  }
};

}  // namespace

std::unique_ptr<Op> make_identity(const Recipe& recipe) { return std::make_unique<Identity>(recipe); }
std::unique_ptr<Op> make_reshape(const Recipe& recipe) { return std::make_unique<Reshape>(recipe); }
std::unique_ptr<Op> make_flatten(const Recipe& recipe) { return std::make_unique<Flatten>(recipe); }
std::unique_ptr<Op> make_squeeze(const Recipe& recipe) { return std::make_unique<Squeeze>(recipe); }
std::unique_ptr<Op> make_unsqueeze(const Recipe& recipe) { return std::make_unique<Unsqueeze>(recipe); }

}  // namespace gonogo::ops
