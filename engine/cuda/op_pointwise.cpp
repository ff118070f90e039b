// Elementwise operators and Split.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/cuda/lower.hpp"
#include "kernels/activation/cuda/pointwise.hpp"

namespace gonogo::engine::cuda {
namespace {

namespace pointwise = kernels::activation::cuda;

class BinaryOp final : public DeviceOp {
 public:
  BinaryOp(pointwise::Binary op, std::string name, const pointwise::Broadcast& shape, kernels::Overlap overlap)
      : op_(op), name_(std::move(name)), shape_(shape), overlap_(overlap) {}
  std::string kernel() const override { return name_; }
  void run(const DeviceCall& call, core::StreamRef stream) override {
    const core::Tensor& y = call.outputs[0];
    pointwise::binary(
        op_, y.dtype, shape_,
        {.a = call.inputs[0].data, .b = call.inputs[1].data, .y = y.data, .count = y.count(), .overlap = overlap_},
        stream);
  }

 private:
  pointwise::Binary op_;
  std::string name_;
  pointwise::Broadcast shape_;
  kernels::Overlap overlap_;
};

/// Strides of an operand under the output's shape; 0 where it repeats.
void set_strides(const core::Shape& shape, const core::Shape& whole, std::int64_t* strides) {
  std::int64_t stride = 1;
  const std::size_t missing = whole.size() - shape.size();
  for (std::size_t i = whole.size(); i-- > missing;) {
    const std::int64_t extent = shape[i - missing];
    strides[i] = extent == 1 ? 0 : stride;
    stride *= extent;
  }
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
  explicit SwiGluOp(kernels::Overlap overlap) : overlap_(overlap) {}
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
                       .stride = width,
                       .overlap = overlap_},
                      stream);
  }

 private:
  kernels::Overlap overlap_;
};

class SplitOp final : public DeviceOp {
 public:
  SplitOp(std::int64_t outer, std::vector<std::int64_t> widths) : outer_(outer), widths_(std::move(widths)) {
    for (const std::int64_t width : widths_) pitch_ += width;
  }
  std::string kernel() const override { return "split.copy"; }
  void run(const DeviceCall& call, core::StreamRef stream) override {
    const std::byte* from = call.inputs[0].data;
    for (std::size_t i = 0; i < widths_.size(); from += widths_[i], ++i)
      pointwise::copy_rows({.from = from,
                            .to = call.outputs[i].data,
                            .rows = outer_,
                            .width_bytes = widths_[i],
                            .from_stride = pitch_,
                            .to_stride = widths_[i]},
                           stream);
  }

 private:
  std::int64_t outer_;
  std::vector<std::int64_t> widths_;  // bytes of one slice
  std::int64_t pitch_ = 0;
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
  const std::string name = type == "Add" ? "add" : type == "Mul" ? "mul" : "sub";
  core::Shape whole = r.outputs[0].shape;
  if (whole.empty()) whole = {1};
  if (whole.size() > pointwise::Broadcast::kMaxRank)
    r.refuse({"rank, at most", fmt::format("{}", pointwise::Broadcast::kMaxRank), fmt::format("{}", whole.size())});
  pointwise::Broadcast shape;
  shape.rank = static_cast<int>(whole.size());
  std::copy(whole.begin(), whole.end(), shape.extent);
  set_strides(r.input(0).shape, whole, shape.a_stride);
  set_strides(r.input(1).shape, whole, shape.b_stride);
  return std::make_unique<BinaryOp>(op, name, shape, r.overlap());
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
  return std::make_unique<SwiGluOp>(r.overlap());
}

DeviceOpPtr lower_split(const LowerRequest& r) {
  const core::Shape& shape = r.input(0).shape;
  const std::int64_t named = r.integer("axis", 0);
  const auto axis = static_cast<std::size_t>(named < 0 ? named + std::ssize(shape) : named);
  std::int64_t outer = 1;
  for (std::size_t i = 0; i < axis; ++i) outer *= shape[i];
  std::vector<std::int64_t> widths;
  for (const ops::ValueFacts& output : r.outputs)
    widths.push_back(static_cast<std::int64_t>(core::bytes_of(output.dtype, core::count_of(output.shape) / outer)));
  return std::make_unique<SplitOp>(outer, std::move(widths));
}

}  // namespace gonogo::engine::cuda
