// SHA-256 (FIPS 180-4): what evidence and gates are held to.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gonogo::record {

/// "sha256:" and 64 hex digits over the bytes of `text`.
[[nodiscard]] std::string sha256(std::string_view text);

/// The same of a file's content; throws core::InputError when it cannot be read.
[[nodiscard]] std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace gonogo::record
