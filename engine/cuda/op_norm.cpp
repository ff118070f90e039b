// Normalisations. The `before` form stages several rows in a buffer allocated per call.
#include <fmt/format.h>

#include <string>

#include "engine/cuda/lower.hpp"
#include "harness/core/cuda/memory.hpp"
#include "kernels/norm/cuda/norm.hpp"

namespace gonogo::engine::cuda {
namespace {

namespace norm = kernels::norm::cuda;

/// Where an operator has its inputs; kNone: not at all.
constexpr std::size_t kNone = 99;
struct Places {
  std::size_t gamma = 1, beta = kNone, bias = kNone;
};

Places places_of(const std::string& type) {
  if (type == "SkipSimplifiedLayerNormalization") return {2, kNone, 3};
  if (type == "SkipLayerNormalization") return {2, 3, 4};
  if (type == "LayerNormalization") return {1, 2, kNone};
  return {};
}

class NormOp final : public DeviceOp {
 public:
  NormOp(const norm::Problem& problem, const Places& places, bool staged, kernels::Overlap overlap)
      : problem_(problem), places_(places), staged_(staged), overlap_(overlap) {}

  std::string kernel() const override {
    return fmt::format("{}{}_norm.{}", problem_.skip ? "skip_" : "", problem_.kind == norm::Kind::rms ? "rms" : "layer",
                       staged_ ? "staged" : "fused");
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
    args.overlap = overlap_;
    args.x = call.inputs[0].data;
    args.gamma = data(call.inputs, places_.gamma);
    args.y = call.outputs[0].data;
    if (problem_.skip) args.skip = call.inputs[1].data;
    if (problem_.skip_bias) args.bias = data(call.inputs, places_.bias);
    if (problem_.beta) args.beta = data(call.inputs, places_.beta);
    if (problem_.sum_output) args.sum = data(call.outputs, 3);
    if (!staged_) return norm::fused(problem_, args, stream);
    const core::DeviceBuffer workspace(norm::staged_workspace_bytes(problem_), stream);
    norm::staged(problem_, args, workspace.data(), stream);
  }

 private:
  norm::Problem problem_;
  Places places_;
  bool staged_;
  kernels::Overlap overlap_;
};

}  // namespace

DeviceOpPtr lower_norm(const LowerRequest& r) {
  const std::string& type = r.node.op_type;
  const Places places = places_of(type);
  const core::Shape& shape = r.input(0).shape;
  norm::Problem p;
  p.hidden = shape.back();
  p.rows = core::count_of(shape) / p.hidden;
  p.type = r.input(0).dtype;
  p.skip = type.starts_with("Skip");
  p.epsilon = r.real("epsilon", p.skip ? 1e-12f : 1e-5f);
  p.kind = type == "LayerNormalization" || type == "SkipLayerNormalization" ? norm::Kind::layer : norm::Kind::rms;
  p.skip_bias = r.has(places.bias);
  p.beta = r.has(places.beta);
  p.round_before_gamma = type == "RMSNormalization" && p.type != core::DType::f32;
  p.sum_output = p.skip && r.node.outputs.size() > 3 && r.node.outputs[3] != graph::kAbsent;
  for (std::size_t i = 1; i < r.node.outputs.size(); ++i)
    if (r.node.outputs[i] != graph::kAbsent && !(p.skip && i == 3))
      r.refuse({"outputs", "the normalised rows and their sum", fmt::format("output {}", i)});
  if (p.skip) p.skip_rows = core::count_of(r.input(1).shape) / p.hidden;
  r.want(norm::eligible(p));
  return std::make_unique<NormOp>(p, places, !r.stack.has("norm") && p.rows > 1, r.overlap());
}

}  // namespace gonogo::engine::cuda
