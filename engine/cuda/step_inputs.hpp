// A step's inputs: one block of pinned host memory and its copy on the device, so that a step costs one small copy.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/session/executor.hpp"
#include "harness/core/cuda/memory.hpp"
#include "harness/core/cuda/stream.hpp"

namespace gonogo::engine::cuda {

class StepInputBlock {
 public:
  explicit StepInputBlock(const Plan& plan);

  /// Writes ids, positions and lengths and starts the copy. The block's previous copy must be done.
  void write(const Plan& plan, const StepInputs& inputs, core::StreamRef stream);
  /// The device address of an arena offset that lies in an input, else null.
  [[nodiscard]] std::byte* find(std::size_t arena_at) const;

 private:
  struct Part {
    std::size_t arena_at = 0;
    std::size_t bytes = 0;
    std::size_t offset = 0;  // in the block
  };
  void add(const Operand& operand);
  [[nodiscard]] core::Tensor host(const Operand& operand) const;

  std::vector<Part> parts_;
  std::size_t bytes_ = 0;
  core::PinnedBuffer host_;
  core::DeviceBuffer device_;
};

}  // namespace gonogo::engine::cuda
