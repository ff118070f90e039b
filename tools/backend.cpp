#include "tools/backend.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include "harness/core/error.hpp"

#ifdef GONOGO_HAVE_CUDA
#include "engine/cuda/bandwidth.hpp"
#include "engine/cuda/session.hpp"
#include "tools/device_record.hpp"
#endif

namespace gonogo::tools {

#ifdef GONOGO_HAVE_CUDA

struct Backend::Device {
  std::shared_ptr<engine::cuda::DeviceContext> context;
  std::shared_ptr<const engine::LoadedModel> model;  // whose weights the context holds
  core::DeviceFacts facts;
  DeviceLook before;
};

void Backend::describe(record::Json& environment) {
  if (!device_) return;
  device_->before = look_at(device_->facts);
  record::Json devices = record::Json::array({to_json(device_->facts, device_->before)});
  for (const record::Json& device : environment.at("devices")) devices.push_back(device);
  devices[0]["before"] = state_json(device_->before);
  environment["devices"] = std::move(devices);
}

std::vector<std::string> Backend::finish(record::Json& environment) const {
  if (!device_) return {};
  const DeviceLook after = look_at(device_->facts);
  environment.at("devices").at(0)["after"] = state_json(after);
  return contamination(device_->before, after);
}

std::optional<probes::ReadBandwidth> Backend::read_bandwidth() const {
  if (!device_) return std::nullopt;
  const engine::cuda::DeviceBandwidth got = engine::cuda::measure_read_bandwidth(*device_->context);
  return probes::ReadBandwidth{got.bytes_per_second, got.working_set, 1, got.repetitions, device_->facts.l2_bytes};
}

namespace {

bool cuda_is_usable() { return static_cast<bool>(core::devices_usable()); }

}  // namespace

#else

struct Backend::Device {};

void Backend::describe(record::Json&) {}
std::vector<std::string> Backend::finish(record::Json&) const { return {}; }
std::optional<probes::ReadBandwidth> Backend::read_bandwidth() const { return std::nullopt; }

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
  device_->facts = core::device_facts(static_cast<int>(choice.device));
#else
  throw core::EnvironmentError(
      "--backend cuda: this build has no CUDA backend; use --backend cpu, or build with a CUDA toolkit");
#endif
}

Backend::~Backend() = default;

std::unique_ptr<engine::Session> Backend::open(const std::shared_ptr<const engine::LoadedModel>& model,
                                               const engine::SessionOptions& options) const {
#ifdef GONOGO_HAVE_CUDA
  if (name_ == "cuda") {
    if (device_->model != nullptr && device_->model != model) {
      device_->context.reset();  // freed first: the two need not fit side by side
      device_->context = engine::cuda::open_device(device_->facts.ordinal);
    }
    device_->model = model;
    return engine::cuda::open_session(model, device_->context, options);
  }
#endif
  return engine::open_cpu_session(model, options);
}

}  // namespace gonogo::tools
