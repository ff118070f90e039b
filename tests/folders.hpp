// Where this build's sources and results lie.
#pragma once

#include <filesystem>

namespace gonogo::tests {

/// The repository's root.
[[nodiscard]] std::filesystem::path source_folder();
/// The build folder; programs are in bin/.
[[nodiscard]] std::filesystem::path build_folder();

}  // namespace gonogo::tests
