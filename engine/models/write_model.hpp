// Writes a model folder: all of it or nothing under its name, whatever interrupts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/models/data_file.hpp"
#include "engine/models/spec.hpp"

namespace gonogo::models {

/// Bytes a model folder takes: graph, constants, config.
[[nodiscard]] std::int64_t folder_bytes(const ModelSpec& spec);

/// Writes model.onnx, model.onnx.data and genai_config.json into a new folder. Everything is written beside it under a
/// hidden name first and renamed last. Throws core::UsageError for a spec that check_spec() refuses or a folder that
/// has files, core::EnvironmentError when the disk has not the room (with bytes wanted and free) or refuses.
void write_model(const ModelSpec& spec, const std::filesystem::path& folder, const WriteOptions& options = {});

/// What is wrong with a folder that write_model() should have written with this spec and seed; nothing when it is
/// right.
[[nodiscard]] std::optional<std::string> find_damage(const ModelSpec& spec, const std::filesystem::path& folder,
                                                     std::uint64_t seed);

/// Removes what an interrupted write_model() of this folder left beside it; leaves those still being written.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace gonogo::models
