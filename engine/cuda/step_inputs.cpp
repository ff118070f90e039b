#include "engine/cuda/step_inputs.hpp"

#include <algorithm>

#include "engine/session/write_inputs.hpp"
#include "harness/core/cuda/copy.hpp"
#include "harness/core/error.hpp"

namespace gonogo::engine::cuda {

StepInputBlock::StepInputBlock(const Plan& plan) {
  add(plan.ids());
  if (plan.positions()) add(*plan.positions());
  for (const ScalarOperand& scalar : plan.scalars()) add(scalar.operand);
  host_ = core::PinnedBuffer(bytes_);
  device_ = core::DeviceBuffer(bytes_);
}

void StepInputBlock::add(const Operand& operand) {
  constexpr std::size_t kAlignment = 16;
  const std::size_t bytes = core::bytes_of(operand.dtype, operand.count());
  parts_.push_back({operand.at, bytes, bytes_});
  bytes_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

core::Tensor StepInputBlock::host(const Operand& operand) const {
  const auto part = std::find_if(parts_.begin(), parts_.end(), [&](const Part& p) { return p.arena_at == operand.at; });
  GONOGO_EXPECT(part != parts_.end(), "an input of the plan");
  return {operand.dtype, operand.shape, host_.data() + part->offset};
}

void StepInputBlock::write(const Plan& plan, const StepInputs& inputs, core::StreamRef stream) {
  write_inputs(plan, inputs, [&](const Operand& operand) { return host(operand); });
  core::copy_to_device(device_.data(), host_.data(), bytes_, stream);
}

std::byte* StepInputBlock::find(std::size_t arena_at) const {
  for (const Part& part : parts_)
    if (arena_at >= part.arena_at && arena_at < part.arena_at + part.bytes)
      return device_.data() + part.offset + (arena_at - part.arena_at);
  return nullptr;
}

}  // namespace gonogo::engine::cuda
