#include "tools/backend.hpp"

#include <fmt/format.h>

#include "harness/core/error.hpp"

#ifdef GONOGO_HAVE_CUDA
#include "engine/cuda/session.hpp"
#include "harness/core/cuda/device.hpp"
#endif

namespace gonogo::tools {

#ifdef GONOGO_HAVE_CUDA

struct Backend::Device {
  std::shared_ptr<engine::cuda::DeviceContext> context;
};

namespace {

bool cuda_is_usable() { return static_cast<bool>(core::devices_usable()); }

}  // namespace

#else

struct Backend::Device {};

namespace {

bool cuda_is_usable() { return false; }

}  // namespace

#endif

Backend::Backend(const BackendChoice& choice) : name_(choice.name) {
  if (name_ == "auto") name_ = cuda_is_usable() ? "cuda" : "cpu";
  if (name_ == "cpu") {
    if (choice.device != 0)
      throw core::UsageError(fmt::format("--device {}: the cpu backend has one device, 0", choice.device));
    return;
  }
#ifdef GONOGO_HAVE_CUDA
  device_ = std::make_unique<Device>();
  device_->context = engine::cuda::open_device(static_cast<int>(choice.device));
#else
  throw core::EnvironmentError(
      "--backend cuda: this build has no CUDA backend; use --backend cpu, or build with a CUDA toolkit");
#endif
}

Backend::~Backend() = default;

std::unique_ptr<engine::Session> Backend::open(const std::shared_ptr<const engine::LoadedModel>& model,
                                               const engine::SessionOptions& options) const {
#ifdef GONOGO_HAVE_CUDA
  if (name_ == "cuda") return engine::cuda::open_session(model, device_->context, options);
#endif
  return engine::open_cpu_session(model, options);
}

}  // namespace gonogo::tools
