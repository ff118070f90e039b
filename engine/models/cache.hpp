// Preset models on disk: written once, checked and reused afterwards.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "engine/models/data_file.hpp"
#include "engine/models/presets.hpp"

namespace gonogo::models {

struct PresetOptions {
  std::optional<std::int64_t> layers = {};  // fewer (or more) than the preset's
  std::uint64_t seed = 1;
  std::filesystem::path cache_dir = {};  // empty: default_cache_dir()
  int threads = 0;                       // 0: all this process may use
  Progress progress = {};
};

/// $GONOGO_CACHE, else $XDG_CACHE_HOME/gonogo, else $HOME/.cache/gonogo.
/// Throws core::EnvironmentError when none of them is set.
[[nodiscard]] std::filesystem::path default_cache_dir();

/// Where the preset's folder is or would be: its name holds the layers, the seed and a hash of the whole spec.
[[nodiscard]] std::filesystem::path preset_folder(std::string_view name, const PresetOptions& options);

/// The folder of a preset, written if it is not there and written again if it is damaged.
/// Throws core::UsageError for an unknown name or impossible layers, core::EnvironmentError when it cannot be written.
std::filesystem::path ensure_preset(std::string_view name, const PresetOptions& options);

}  // namespace gonogo::models
