// Embeddings.
#include <string>

#include "engine/cuda/lower.hpp"
#include "kernels/embedding/cuda/gather.hpp"

namespace gonogo::engine::cuda {
namespace {

namespace embedding = kernels::embedding::cuda;

class GatherOp final : public DeviceOp {
 public:
  explicit GatherOp(const embedding::GatherProblem& problem) : problem_(problem) {}
  std::string kernel() const override { return "gather.copy"; }
  void run(const DeviceCall& call, core::StreamRef stream) override {
    embedding::gather(
        problem_,
        {.table = call.inputs[0].data, .ids = call.inputs[1].as<const std::int64_t>(), .y = call.outputs[0].data},
        stream);
  }

 private:
  embedding::GatherProblem problem_;
};

class QuantizedGatherOp final : public DeviceOp {
 public:
  explicit QuantizedGatherOp(const embedding::QuantizedProblem& problem) : problem_(problem) {}
  std::string kernel() const override { return "gather_block_quantized"; }
  void run(const DeviceCall& call, core::StreamRef stream) override {
    embedding::gather_quantized(
        problem_,
        {.codes = call.inputs[0].as<const std::uint8_t>(),
         .scales = call.inputs[2].data,
         .zero_points = problem_.zero_points ? call.inputs[3].as<const std::uint8_t>() : nullptr,
         .ids = call.inputs[1].as<const std::int64_t>(),
         .y = call.outputs[0].data},
        stream);
  }

 private:
  embedding::QuantizedProblem problem_;
};

void want_ids(const LowerRequest& r) {
  if (r.input(1).dtype != core::DType::i64)
    r.refuse({"type of indices", "int64", std::string(core::name_of(r.input(1).dtype))});
}

DeviceOpPtr lower_quantized(const LowerRequest& r) {
  const ops::ValueFacts data = r.input(0);
  const std::int64_t rows = core::count_of(r.input(1).shape);
  const bool bytes = data.dtype == core::DType::u8;
  embedding::QuantizedProblem p;
  p.rows = rows;
  p.vocab = data.shape[0];
  p.hidden = core::count_of(r.outputs[0].shape) / rows;
  p.bits = static_cast<int>(r.integer("bits", 4));
  p.block_size = r.integer("block_size", 128);
  p.type = r.input(2).dtype;
  p.zero_points = r.has(3);
  p.default_zero = bytes ? 1 << (p.bits - 1) : 0;
  p.is_signed = data.dtype == core::DType::i4;
  r.want(embedding::eligible(p));
  return std::make_unique<QuantizedGatherOp>(p);
}

}  // namespace

DeviceOpPtr lower_gather(const LowerRequest& r) {
  want_ids(r);
  if (r.node.op_type == "GatherBlockQuantized") return lower_quantized(r);
  const ops::ValueFacts data = r.input(0);
  if (data.shape.size() != 2 || r.integer("axis", 0) != 0 || !core::is_float(data.dtype))
    r.refuse({"data", "rows of a float table, gathered on axis 0",
              std::string(core::name_of(data.dtype)) + core::to_string(data.shape)});
  return std::make_unique<GatherOp>(embedding::GatherProblem{
      .rows = core::count_of(r.input(1).shape), .vocab = data.shape[0], .hidden = data.shape[1], .type = data.dtype});
}

}  // namespace gonogo::engine::cuda
