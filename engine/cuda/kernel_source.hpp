// The CUDA backend's choice of kernels, as plans ask for it.
#pragma once

#include "engine/cuda/lower.hpp"
#include "engine/plan/program.hpp"

namespace gonogo::engine::cuda {

[[nodiscard]] inline DeviceOpPtr lower_step(const Program& program, std::size_t n, const StepFacts& facts) {
  return lower(
      {program.graph(), program.graph().nodes[n], program.stack, program.roles[n], facts.inputs, facts.outputs});
}

class DeviceKernels final : public KernelSource {
 public:
  [[nodiscard]] StepKernelFacts choose(const Program& program, std::size_t n, const StepFacts& facts) const override {
    const DeviceOpPtr op = lower_step(program, n, facts);
    return {op->kernel(), op->workspace_bytes(), op->capture()};
  }
};

}  // namespace gonogo::engine::cuda
