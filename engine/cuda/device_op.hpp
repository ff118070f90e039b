// A step of a plan on a CUDA device: the kernel chosen for its shapes, what that needs, and its launch.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "harness/core/cuda/stream.hpp"
#include "harness/core/eligibility.hpp"
#include "harness/core/tensor.hpp"

namespace gonogo::engine::cuda {

class WeightLease;

/// Operands of one call: device pointers, constants included; absent inputs have null data.
struct DeviceCall {
  std::span<const core::Tensor> inputs;
  std::span<const core::Tensor> outputs;
  std::byte* workspace = nullptr;  // workspace_bytes(): anything may be in it; other steps use the same bytes
  std::byte* state = nullptr;      // state_bytes(): zero before the first call, this step's own from then on
};

/// Fixed shapes; run() only launches: it may be recorded unless capture() refuses.
class DeviceOp {
 public:
  virtual ~DeviceOp() = default;
  [[nodiscard]] virtual std::string kernel() const = 0;
  [[nodiscard]] virtual std::size_t workspace_bytes() const { return 0; }
  [[nodiscard]] virtual std::size_t state_bytes() const { return 0; }
  /// A refusal says why ("allocates a workspace per call").
  [[nodiscard]] virtual core::Eligibility capture() const { return core::accept(); }
  /// Makes what run() needs beyond its operands: weights in a layout of the kernel's own, a library's plan. Once,
  /// before the first run().
  virtual void prepare([[maybe_unused]] WeightLease& weights) {}
  /// True for a constant input that prepare() takes over: it is not uploaded as it is.
  [[nodiscard]] virtual bool takes([[maybe_unused]] std::size_t input) const { return false; }
  virtual void run(const DeviceCall& call, core::StreamRef stream) = 0;
};

}  // namespace gonogo::engine::cuda
