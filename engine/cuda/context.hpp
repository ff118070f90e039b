// What all sessions over one model on one device share: the device, the stream they run in, the constants on it.
#pragma once

#include <memory>

#include "engine/cuda/weights.hpp"
#include "harness/core/cuda/device.hpp"
#include "harness/core/cuda/stream.hpp"

namespace gonogo::engine::cuda {

struct DeviceContext {
  explicit DeviceContext(int ordinal) : scope(ordinal), weights(std::make_shared<Weights>()) {}

  core::DeviceScope scope;  // first: what follows is made on the device
  core::Stream stream;
  std::shared_ptr<Weights> weights;
};

}  // namespace gonogo::engine::cuda
