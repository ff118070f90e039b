// Kernels compute in float32; these bring float16 tensors in and round results out, through the step's scratch.
#pragma once

#include <span>

#include "engine/ops/op.hpp"
#include "harness/core/scratch.hpp"

namespace gonogo::ops {

/// The tensor's values as float32: itself, or a converted copy in `scratch`. Null for an absent tensor.
[[nodiscard]] const float* read_f32(const core::Tensor& tensor, core::Scratch& scratch);

/// Where a kernel writes float32 results; store() rounds them into a float16 tensor (nothing to do for float32).
class WriteF32 {
 public:
  WriteF32(const core::Tensor& tensor, core::Scratch& scratch);
  [[nodiscard]] float* data() const { return data_; }
  void store() const;

 private:
  core::Tensor tensor_;
  float* data_ = nullptr;
};

/// Scratch that the two above want for these values, for workspace_bytes(): the same 64-byte rounding.
[[nodiscard]] std::size_t f32_scratch_bytes(std::span<const ValueFacts> values);

}  // namespace gonogo::ops
