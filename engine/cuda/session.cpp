#include "engine/cuda/session.hpp"

#include <fmt/format.h>

#include <utility>

#include "engine/cuda/context.hpp"
#include "engine/cuda/executor.hpp"
#include "engine/cuda/kernel_source.hpp"
#include "engine/cuda/storage.hpp"
#include "engine/session/engine_session.hpp"
#include "harness/core/error.hpp"

namespace gonogo::engine::cuda {

std::shared_ptr<DeviceContext> open_device(int ordinal) {
  const std::vector<core::DeviceFacts> all = core::devices();
  if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= all.size())
    throw core::EnvironmentError(fmt::format("--device {}: CUDA devices 0 to {} are there", ordinal, all.size() - 1));
  if (const auto fits = core::has_code_for(all[static_cast<std::size_t>(ordinal)].sm); !fits)
    throw core::EnvironmentError(fmt::format("device {} ({}): {}", ordinal, all[static_cast<std::size_t>(ordinal)].name,
                                             core::to_string(fits.reason())));
  return std::make_shared<DeviceContext>(ordinal);
}

std::unique_ptr<Session> open_session(std::shared_ptr<const LoadedModel> model, std::shared_ptr<DeviceContext> device,
                                      const SessionOptions& options) {
  Backend backend;
  backend.name = "cuda";
  backend.kernels = std::make_shared<const DeviceKernels>();
  backend.storage = [device](const std::vector<KvShape>& shapes) {
    return std::make_unique<DeviceKvStorage>(shapes, device->stream.ref());
  };
  backend.executor = [device](std::shared_ptr<const Program> program, const KvCache& cache) {
    return std::make_unique<CudaExecutor>(device, std::move(program), cache);
  };
  return std::make_unique<EngineSession>(std::move(model), options, std::move(backend));
}

}  // namespace gonogo::engine::cuda
