// Sessions on the CUDA backend.
#pragma once

#include <memory>

#include "engine/session/session.hpp"

namespace gonogo::engine::cuda {

struct DeviceContext;

/// Makes a device ready for one model: sessions over it share the context, so that the weights are on the device once.
/// Throws EnvironmentError where there is no such device, or none that this build has code for.
[[nodiscard]] std::shared_ptr<DeviceContext> open_device(int ordinal);

/// Weights are uploaded by the first forward that needs them. Throws InputError naming the node that no kernel runs.
[[nodiscard]] std::unique_ptr<Session> open_session(std::shared_ptr<const LoadedModel> model,
                                                    std::shared_ptr<DeviceContext> device,
                                                    const SessionOptions& options);

}  // namespace gonogo::engine::cuda
