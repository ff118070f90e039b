// Streams a model's constants to a file: many threads, one fixed buffer each, never the whole model in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "engine/models/tensors.hpp"

namespace gonogo::models {

/// Called with (bytes written, bytes in all) from one thread at a time, which may be any.
using Progress = std::function<void(std::int64_t done, std::int64_t total)>;

struct WriteOptions {
  std::uint64_t seed = 1;
  int threads = 0;  // 0: all this process may use
  Progress progress = {};
};

/// Writes a new file of layout.data_bytes. Throws core::EnvironmentError when the disk refuses (full, a limit, an
/// error); the file is then incomplete and the caller's to remove.
void write_data(const ModelSpec& spec, const TensorLayout& layout, const std::filesystem::path& file,
                const WriteOptions& options);

/// What is wrong with a data file that write_data() should have written, found by its size and by making the first and
/// last 4 KiB of every tensor again; nothing when it is right.
[[nodiscard]] std::optional<std::string> find_damage(const ModelSpec& spec, const TensorLayout& layout,
                                                     const std::filesystem::path& file, std::uint64_t seed);

}  // namespace gonogo::models
