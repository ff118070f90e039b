#include "harness/core/cuda/nvml.hpp"

#include <array>
#include <utility>

#include "harness/core/cuda/nvml_abi.hpp"
#include "harness/core/cuda/shared_library.hpp"
#include "harness/core/error.hpp"

namespace gonogo::core {
namespace {

struct ThrottleName {
  std::uint64_t bit;
  const char* name;
};
constexpr std::array<ThrottleName, 9> kThrottleNames{{{0x1, "idle"},
                                                      {0x2, "applications_clocks"},
                                                      {0x4, "sw_power_cap"},
                                                      {0x8, "hw_slowdown"},
                                                      {0x10, "sync_boost"},
                                                      {0x20, "sw_thermal"},
                                                      {0x40, "hw_thermal"},
                                                      {0x80, "hw_power_brake"},
                                                      {0x100, "display_clocks"}}};

}  // namespace

std::vector<std::string> throttle_reasons(std::uint64_t bits) {
  std::vector<std::string> names;
  for (const ThrottleName& entry : kThrottleNames) {
    if ((bits & entry.bit) != 0) names.emplace_back(entry.name);
    bits &= ~entry.bit;
  }
  for (int i = 0; i < 64; ++i)
    if ((bits >> i & 1) != 0) names.push_back("bit_" + std::to_string(i));
  return names;
}

bool throttled(std::uint64_t bits) { return (bits & ~std::uint64_t{0x3}) != 0; }

struct Nvml::Api {
  SharedLibrary library{{"libnvidia-ml.so.1", "libnvidia-ml.so"}};
  bool started = false;

  ~Api() {
    if (!started) return;
    if (void* shutdown = library.find("nvmlShutdown"))
      static_cast<void>(reinterpret_cast<GonogoNvmlShutdown*>(shutdown)());
  }

  [[nodiscard]] std::string text(int status) const {
    return library.function<GonogoNvmlErrorString>("nvmlErrorString")(status);
  }

  /// Calls the first of two names that the library has (NVML renames functions) and turns its status into a Reading.
  template <class Function, class T, class Call>
  Reading<T> read(const char* name, const char* older_name, Call call) const {
    void* found = library.find(name);
    if (found == nullptr && older_name != nullptr) found = library.find(older_name);
    if (found == nullptr) return {std::nullopt, library.name() + " has no " + name};
    T value{};
    const int status = call(reinterpret_cast<Function*>(found), value);
    if (status != nvml_abi::kSuccess) return {std::nullopt, std::string(name) + ": " + text(status)};
    return {std::move(value), ""};
  }

  [[nodiscard]] GonogoNvmlDevice* device(const std::string& uuid) const {
    auto* find = library.function<GonogoNvmlHandleByUuid>("nvmlDeviceGetHandleByUUID");
    GonogoNvmlDevice* handle = nullptr;
    const int status = find(uuid.c_str(), &handle);
    if (status == nvml_abi::kSuccess) return handle;
    // CUDA gives a MIG slice's UUID without saying that it is one.
    if (uuid.starts_with("GPU-") && find(("MIG-" + uuid.substr(4)).c_str(), &handle) == nvml_abi::kSuccess)
      return handle;
    throw EnvironmentError("NVML knows no device " + uuid + ": " + text(status));
  }

  [[nodiscard]] Reading<std::vector<DeviceProcess>> processes(GonogoNvmlDevice* device) const {
    return read<GonogoNvmlProcesses, std::vector<DeviceProcess>>(
        "nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2",
        [&](auto* call, auto& value) {
          std::vector<GonogoNvmlProcess> found(16);
          auto count = static_cast<unsigned>(found.size());
          int status = call(device, &count, found.data());
          while (status == nvml_abi::kInsufficientSize) {  // more may have started meanwhile
            found.resize(found.size() * 2 + count);
            count = static_cast<unsigned>(found.size());
            status = call(device, &count, found.data());
          }
          if (status != nvml_abi::kSuccess) return status;
          for (unsigned i = 0; i < count; ++i) {
            DeviceProcess process{found[i].pid, std::nullopt};
            if (found[i].used_bytes != nvml_abi::kNotAvailable) process.memory_bytes = found[i].used_bytes;
            value.push_back(process);
          }
          return status;
        });
  }
};

Nvml::Nvml() : api_(std::make_unique<Api>()) {
  const int status = api_->library.function<GonogoNvmlInit>("nvmlInit_v2")();
  if (status != nvml_abi::kSuccess) throw EnvironmentError("nvmlInit_v2: " + api_->text(status));
  api_->started = true;
}
Nvml::~Nvml() = default;
Nvml::Nvml(Nvml&&) noexcept = default;
Nvml& Nvml::operator=(Nvml&&) noexcept = default;

Reading<std::string> Nvml::driver_version() const {
  return api_->read<GonogoNvmlDriverVersion, std::string>(
      "nvmlSystemGetDriverVersion", nullptr, [](auto* call, auto& value) {
        std::array<char, 96> text{};
        const int status = call(text.data(), static_cast<unsigned>(text.size()));
        value = text.data();
        return status;
      });
}

NvmlSample Nvml::sample(const std::string& uuid) const {
  GonogoNvmlDevice* device = api_->device(uuid);
  const auto clock = [&](const char* name, int kind) {
    return api_->read<GonogoNvmlClock, unsigned>(name, nullptr,
                                                 [&](auto* call, unsigned& mhz) { return call(device, kind, &mhz); });
  };
  const auto watts = [&](const char* name) {
    return api_->read<GonogoNvmlUnsigned, double>(name, nullptr, [&](auto* call, double& value) {
      unsigned milliwatts = 0;
      const int status = call(device, &milliwatts);
      value = milliwatts / 1000.0;
      return status;
    });
  };
  const auto mode = [&](const char* name) {
    return api_->read<GonogoNvmlMode, bool>(name, nullptr, [&](auto* call, bool& on) {
      unsigned current = 0;
      unsigned pending = 0;
      const int status = call(device, &current, &pending);
      on = current != 0;
      return status;
    });
  };
  NvmlSample sample;
  sample.sm_clock_mhz = clock("nvmlDeviceGetClockInfo", nvml_abi::kClockSm);
  sample.memory_clock_mhz = clock("nvmlDeviceGetClockInfo", nvml_abi::kClockMemory);
  sample.max_sm_clock_mhz = clock("nvmlDeviceGetMaxClockInfo", nvml_abi::kClockSm);
  sample.power_w = watts("nvmlDeviceGetPowerUsage");
  sample.power_limit_w = watts("nvmlDeviceGetEnforcedPowerLimit");
  sample.temperature_c = api_->read<GonogoNvmlTemperature, unsigned>(
      "nvmlDeviceGetTemperature", nullptr,
      [&](auto* call, unsigned& value) { return call(device, nvml_abi::kTemperatureGpu, &value); });
  sample.utilization_percent = api_->read<GonogoNvmlUtilizationRates, unsigned>(
      "nvmlDeviceGetUtilizationRates", nullptr, [&](auto* call, unsigned& value) {
        GonogoNvmlUtilization rates{};
        const int status = call(device, &rates);
        value = rates.gpu;
        return status;
      });
  sample.throttle_bits = api_->read<GonogoNvmlMask, std::uint64_t>("nvmlDeviceGetCurrentClocksEventReasons",
                                                                   "nvmlDeviceGetCurrentClocksThrottleReasons",
                                                                   [&](auto* call, std::uint64_t& value) {
                                                                     unsigned long long bits = 0;
                                                                     const int status = call(device, &bits);
                                                                     value = bits;
                                                                     return status;
                                                                   });
  sample.memory_used_bytes = api_->read<GonogoNvmlMemoryInfo, std::uint64_t>("nvmlDeviceGetMemoryInfo", nullptr,
                                                                             [&](auto* call, std::uint64_t& value) {
                                                                               GonogoNvmlMemory memory{};
                                                                               const int status = call(device, &memory);
                                                                               value = memory.used;
                                                                               return status;
                                                                             });
  sample.mig = mode("nvmlDeviceGetMigMode");
  sample.ecc = mode("nvmlDeviceGetEccMode");
  sample.processes = api_->processes(device);
  return sample;
}

Reading<std::vector<DeviceProcess>> foreign_processes(const NvmlSample& sample, unsigned own_pid) {
  if (!sample.processes.value) return sample.processes;
  std::vector<DeviceProcess> others;
  for (const DeviceProcess& process : *sample.processes.value)
    if (process.pid != own_pid) others.push_back(process);
  return {std::move(others), ""};
}

}  // namespace gonogo::core
