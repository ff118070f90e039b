#include "tools/device_record.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "harness/core/error.hpp"

namespace gonogo::tools {
namespace {

using record::Json;

template <class T>
Json or_null(const core::Reading<T>& reading) {
  return reading.value ? Json(*reading.value) : Json(nullptr);
}

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

void add_other_processes(const DeviceLook& look, std::string_view when, std::vector<std::string>& lines) {
  if (!look.sample) return;
  const auto others = core::foreign_processes(*look.sample, static_cast<unsigned>(::getpid()));
  if (others.value && !others.value->empty())
    lines.push_back(fmt::format("{} other processes computed on the device {}", others.value->size(), when));
}

}  // namespace

DeviceLook look_at(const core::DeviceFacts& facts) {
  DeviceLook look;
  try {
    const core::Nvml nvml;
    look.driver = nvml.driver_version().value.value_or("");
    look.sample = nvml.sample(facts.uuid);
  } catch (const core::EnvironmentError& error) {
    look.reason = error.what();
  }
  return look;
}

Json to_json(const core::DeviceFacts& f, const DeviceLook& look) {
  Json json = {{"kind", "cuda"},
               {"name", f.name},
               {"ordinal", f.ordinal},
               {"uuid", f.uuid},
               {"pci_id", f.pci_id},
               {"compute_capability", fmt::format("{}.{}", f.sm / 10, f.sm % 10)},
               {"multiprocessors", f.multiprocessors},
               {"l2_bytes", f.l2_bytes},
               {"memory_bytes", f.memory_bytes},
               {"clock_khz", f.clock_khz},
               {"memory_clock_khz", f.memory_clock_khz},
               {"memory_bus_bits", f.memory_bus_bits},
               {"ecc", f.ecc},
               {"cuda_driver", version_text(f.driver_version)},
               {"cuda_runtime", version_text(f.runtime_version)}};
  json["driver"] = look.driver.empty() ? Json(nullptr) : Json(look.driver);
  json["mig"] = look.sample ? or_null(look.sample->mig) : Json(nullptr);
  json["power_limit_w"] = look.sample ? or_null(look.sample->power_limit_w) : Json(nullptr);
  json["max_sm_clock_mhz"] = look.sample ? or_null(look.sample->max_sm_clock_mhz) : Json(nullptr);
  return json;
}

Json state_json(const DeviceLook& look) {
  if (!look.sample) return {{"status", "unmeasured"}, {"reason", look.reason}};
  const core::NvmlSample& s = *look.sample;
  Json json = {{"status", "ok"},
               {"sm_clock_mhz", or_null(s.sm_clock_mhz)},
               {"memory_clock_mhz", or_null(s.memory_clock_mhz)},
               {"power_w", or_null(s.power_w)},
               {"temperature_c", or_null(s.temperature_c)},
               {"utilization_percent", or_null(s.utilization_percent)},
               {"memory_used_bytes", or_null(s.memory_used_bytes)}};
  json["throttle"] = s.throttle_bits.value ? Json(core::throttle_reasons(*s.throttle_bits.value)) : Json(nullptr);
  const auto others = core::foreign_processes(s, static_cast<unsigned>(::getpid()));
  json["other_processes"] = others.value ? Json(others.value->size()) : Json(nullptr);
  return json;
}

std::vector<std::string> contamination(const DeviceLook& before, const DeviceLook& after) {
  constexpr unsigned kIdlePercent = 5;
  std::vector<std::string> lines;
  add_other_processes(before, "before the run", lines);
  add_other_processes(after, "after the run", lines);
  if (before.sample && before.sample->utilization_percent.value.value_or(0) > kIdlePercent)
    lines.push_back(fmt::format("the device was {} % busy before the run", *before.sample->utilization_percent.value));
  if (before.sample && before.sample->mig.value.value_or(false)) lines.emplace_back("the device is a MIG slice");
  if (after.sample && after.sample->throttle_bits.value && core::throttled(*after.sample->throttle_bits.value))
    lines.push_back(fmt::format("the device was throttled at the end: {}",
                                fmt::join(core::throttle_reasons(*after.sample->throttle_bits.value), ", ")));
  return lines;
}

}  // namespace gonogo::tools
