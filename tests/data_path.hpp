// Where the repository keeps the files that tests read.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "tests/folders.hpp"

namespace gonogo::tests {

/// tests/data/NAME. It is part of the repository: one that is not there fails the test that asks, by its name.
[[nodiscard]] inline std::filesystem::path data_path(const std::string& name) {
  const auto path = source_folder() / "tests" / "data" / name;
  if (!std::filesystem::exists(path))
    throw std::runtime_error(path.string() + " is missing, though it is part of the repository");
  return path;
}

}  // namespace gonogo::tests
