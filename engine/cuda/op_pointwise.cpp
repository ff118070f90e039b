// Elementwise operators and Split.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "engine/cuda/lower.hpp"
#include "harness/core/cuda/copy.hpp"
#include "kernels/activation/cuda/pointwise.hpp"

namespace gonogo::engine::cuda {
namespace {

namespace pointwise = kernels::activation::cuda;

class BinaryOp final : public DeviceOp {
 public:
  BinaryOp(pointwise::Binary op, std::string name, bool swapped, std::int64_t period)
      : op_(op), name_(std::move(name)), swapped_(swapped), period_(period) {}
  std::string kernel() const override { return name_; }
  void run(const DeviceCall& call, core::StreamRef stream) override {
    const core::Tensor& y = call.outputs[0];
    const core::Tensor& a = call.inputs[swapped_ ? 1 : 0];
    const core::Tensor& b = call.inputs[swapped_ ? 0 : 1];
    pointwise::binary(op_, y.dtype, {.a = a.data, .b = b.data, .y = y.data, .count = y.count(), .period = period_},
                      stream);
  }

 private:
  pointwise::Binary op_;
  std::string name_;
  bool swapped_;
  std::int64_t period_;
};

/// Elements after which `shape` repeats within `whole`, or 0 when it does not tile it: its extents, without leading
/// ones, are the last extents of `whole`.
std::int64_t period_of(const core::Shape& shape, const core::Shape& whole) {
  std::size_t skip = 0;
  while (skip < shape.size() && shape[skip] == 1) ++skip;
  const std::size_t rank = shape.size() - skip;
  if (rank > whole.size() || !std::equal(shape.begin() + static_cast<std::ptrdiff_t>(skip), shape.end(),
                                         whole.end() - static_cast<std::ptrdiff_t>(rank)))
    return 0;
  return core::count_of(shape);
}

class UnaryOp final : public DeviceOp {
 public:
  UnaryOp(pointwise::Unary function, std::string name) : function_(function), name_(std::move(name)) {}
  std::string kernel() const override { return name_; }
  void run(const DeviceCall& call, core::StreamRef stream) override {
    const core::Tensor& y = call.outputs[0];
    pointwise::unary(function_, y.dtype, call.inputs[0].data, y.data, y.count(), stream);
  }

 private:
  pointwise::Unary function_;
  std::string name_;
};

class CastOp final : public DeviceOp {
 public:
  std::string kernel() const override { return "cast"; }
  void run(const DeviceCall& call, core::StreamRef stream) override {
    const core::Tensor& x = call.inputs[0];
    const core::Tensor& y = call.outputs[0];
    pointwise::cast(x.dtype, x.data, y.dtype, y.data, y.count(), stream);
  }
};

class SwiGluOp final : public DeviceOp {
 public:
  std::string kernel() const override { return "swiglu"; }
  void run(const DeviceCall& call, core::StreamRef stream) override {
    const core::Tensor& y = call.outputs[0];
    const std::int64_t width = y.shape.back();
    pointwise::swiglu(y.dtype,
                      {.gate = call.inputs[0].data,
                       .up = call.inputs[1].data,
                       .y = y.data,
                       .rows = y.count() / width,
                       .width = width,
                       .stride = width},
                      stream);
  }
};

class SplitOp final : public DeviceOp {
 public:
  SplitOp(std::int64_t outer, std::vector<std::size_t> widths) : outer_(outer), widths_(std::move(widths)) {
    for (const std::size_t width : widths_) pitch_ += width;
  }
  std::string kernel() const override { return "split.copy"; }
  void run(const DeviceCall& call, core::StreamRef stream) override {
    const std::byte* from = call.inputs[0].data;
    for (std::size_t i = 0; i < widths_.size(); from += widths_[i], ++i)
      core::copy_rows_on_device({call.outputs[i].data, widths_[i]}, {const_cast<std::byte*>(from), pitch_},
                                {static_cast<std::size_t>(outer_), widths_[i]}, stream);
  }

 private:
  std::int64_t outer_;
  std::vector<std::size_t> widths_;  // bytes of one slice
  std::size_t pitch_ = 0;
};

void want_float(const LowerRequest& r) {
  if (!core::is_float(r.input(0).dtype))
    r.refuse(
        {"type of the operands, one of", "float32, float16, bfloat16", std::string(core::name_of(r.input(0).dtype))});
}

}  // namespace

DeviceOpPtr lower_binary(const LowerRequest& r) {
  want_float(r);
  const std::string& type = r.node.op_type;
  const auto op = type == "Add"   ? pointwise::Binary::add
                  : type == "Mul" ? pointwise::Binary::mul
                                  : pointwise::Binary::sub;
  const core::Shape& whole = r.outputs[0].shape;
  const std::int64_t a = period_of(r.input(0).shape, whole);
  const std::int64_t b = period_of(r.input(1).shape, whole);
  const std::int64_t count = core::count_of(whole);
  const std::string name = type == "Add" ? "add" : type == "Mul" ? "mul" : "sub";
  if (a == count && b > 0) return std::make_unique<BinaryOp>(op, name, false, b);
  if (b == count && a > 0 && op != pointwise::Binary::sub) return std::make_unique<BinaryOp>(op, name, true, a);
  r.refuse({"shapes of the operands", "equal, or one repeated over the rows of the other",
            fmt::format("{} and {}", core::to_string(r.input(0).shape), core::to_string(r.input(1).shape))});
}

DeviceOpPtr lower_unary(const LowerRequest& r) {
  want_float(r);
  const std::string& type = r.node.op_type;
  if (type == "Cast") {
    if (!core::is_float(r.outputs[0].dtype))
      r.refuse(
          {"type to cast to, one of", "float32, float16, bfloat16", std::string(core::name_of(r.outputs[0].dtype))});
    return std::make_unique<CastOp>();
  }
  if (r.has(1)) r.refuse({"input bias", "absent", "present"});
  using pointwise::Unary;
  if (type == "Sigmoid") return std::make_unique<UnaryOp>(Unary::sigmoid, "sigmoid");
  if (type == "Relu") return std::make_unique<UnaryOp>(Unary::relu, "relu");
  if (type == "Tanh") return std::make_unique<UnaryOp>(Unary::tanh, "tanh");
  const auto approximate = r.node.attributes.find("approximate");
  const bool is_tanh = type == "FastGelu" ||
                       (approximate != r.node.attributes.end() && std::get<std::string>(approximate->second) == "tanh");
  return std::make_unique<UnaryOp>(is_tanh ? Unary::gelu_tanh : Unary::gelu_erf, is_tanh ? "gelu_tanh" : "gelu_erf");
}

DeviceOpPtr lower_swiglu(const LowerRequest& r) {
  want_float(r);
  return std::make_unique<SwiGluOp>();
}

DeviceOpPtr lower_split(const LowerRequest& r) {
  const core::Shape& shape = r.input(0).shape;
  const std::int64_t named = r.integer("axis", 0);
  const auto axis = static_cast<std::size_t>(named < 0 ? named + std::ssize(shape) : named);
  std::int64_t outer = 1;
  for (std::size_t i = 0; i < axis; ++i) outer *= shape[i];
  std::vector<std::size_t> widths;
  for (const ops::ValueFacts& output : r.outputs)
    widths.push_back(core::bytes_of(output.dtype, core::count_of(output.shape) / outer));
  return std::make_unique<SplitOp>(outer, std::move(widths));
}

}  // namespace gonogo::engine::cuda
