// Named model shapes. Their weights are random: speed and memory are those of the real model, the text is not.
#pragma once

#include <span>
#include <string_view>

#include "engine/models/spec.hpp"

namespace gonogo::models {

struct Preset {
  std::string_view name;
  std::string_view purpose;
  ModelSpec spec;
};

[[nodiscard]] std::span<const Preset> presets();

/// Throws core::UsageError with the known names.
[[nodiscard]] const Preset& find_preset(std::string_view name);

}  // namespace gonogo::models
