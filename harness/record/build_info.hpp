// What was built, from which commit, how: filled in by scripts/cmake/write_build_info.cmake at build time.
#pragma once

#include <optional>
#include <string>

namespace gonogo::record {

struct BuildInfo {
  std::string git_sha;            // 40 hex digits; "unknown" when the source was no checkout
  std::optional<bool> git_dirty;  // tracked files differed from the commit; nullopt when unknown
  std::string version;            // of this project
  std::string compiler;           // "GNU 12.2.0"
  std::string flags;
  std::string build_type;  // "Release", "Debug"
  std::string sanitize;    // "address,undefined"; empty for none
  std::string libraries;   // "fmt=9.1.0 nlohmann_json=3.11.2 ..."
};

[[nodiscard]] const BuildInfo& build_info();

}  // namespace gonogo::record
