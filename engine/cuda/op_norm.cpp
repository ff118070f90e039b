// Root-mean-square normalisations. The `before` form stages several rows in a buffer allocated per call.
#include <string>

#include "engine/cuda/lower.hpp"
#include "harness/core/cuda/memory.hpp"
#include "kernels/norm/cuda/norm.hpp"

namespace gonogo::engine::cuda {
namespace {

namespace norm = kernels::norm::cuda;

class NormOp final : public DeviceOp {
 public:
  NormOp(const norm::Problem& problem, bool staged) : problem_(problem), staged_(staged) {}

  std::string kernel() const override {
    return std::string(problem_.skip ? "skip_rms_norm" : "rms_norm") + (staged_ ? ".staged" : ".fused");
  }
  core::Eligibility capture() const override {
    if (staged_) return core::refuse("workspace", "from the plan", "allocated per call");
    return core::accept();
  }
  void run(const DeviceCall& call, core::StreamRef stream) override {
    const auto data = [](std::span<const core::Tensor> tensors, std::size_t i) {
      return i < tensors.size() ? tensors[i].data : nullptr;
    };
    norm::Args args;
    args.x = call.inputs[0].data;
    args.gamma = call.inputs[problem_.skip ? 2 : 1].data;
    args.y = call.outputs[0].data;
    if (problem_.skip) {
      args.skip = call.inputs[1].data;
      if (problem_.skip_bias) args.bias = data(call.inputs, 3);
      if (problem_.sum_output) args.sum = data(call.outputs, 3);
    }
    if (!staged_) return norm::fused(problem_, args, stream);
    const core::DeviceBuffer workspace(norm::staged_workspace_bytes(problem_), stream);
    norm::staged(problem_, args, workspace.data(), stream);
  }

 private:
  norm::Problem problem_;
  bool staged_;
};

}  // namespace

DeviceOpPtr lower_norm(const LowerRequest& r) {
  const bool skip = r.node.op_type == "SkipSimplifiedLayerNormalization";
  const core::Shape& shape = r.input(0).shape;
  norm::Problem p;
  p.hidden = shape.back();
  p.rows = core::count_of(shape) / p.hidden;
  p.type = r.input(0).dtype;
  p.epsilon = r.real("epsilon", skip ? 1e-12f : 1e-5f);
  p.skip = skip;
  p.skip_bias = skip && r.has(3);
  p.sum_output = skip && r.node.outputs.size() > 3 && r.node.outputs[3] != graph::kAbsent;
  for (std::size_t i = 1; i < r.node.outputs.size(); ++i)
    if (r.node.outputs[i] != graph::kAbsent && !(skip && i == 3))
      r.refuse({"outputs", "the normalised rows and their sum", "output " + std::to_string(i)});
  if (const std::size_t gamma = skip ? 2 : 1; r.input(gamma).dtype != p.type)
    r.refuse({"type of scale", std::string(core::name_of(p.type)), std::string(core::name_of(r.input(gamma).dtype))});
  if (skip && core::count_of(r.input(1).shape) != core::count_of(shape))
    r.refuse({"shape of skip", core::to_string(shape), core::to_string(r.input(1).shape)});
  r.want(norm::eligible(p));
  const bool staged = !r.stack.has("norm") && p.rows > 1;
  return std::make_unique<NormOp>(p, staged);
}

}  // namespace gonogo::engine::cuda
