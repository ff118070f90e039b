// Token ids to text, with a list of pieces: enough to read what a small model says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace gonogo::tools {

/// A JSON list of pieces, or of [piece, score] pairs; or a text file with one piece a line, what follows a tab ignored.
/// Throws core::InputError when the file cannot be read or holds none.
[[nodiscard]] std::vector<std::string> read_pieces(const std::filesystem::path& file);

/// The pieces in a row: U+2581 becomes a space, <0xNN> a byte, and control pieces (<unk>, <s>, </s>) vanish.
/// Throws core::InputError naming an id that the list does not hold.
[[nodiscard]] std::string text_of(std::span<const std::int64_t> ids, const std::vector<std::string>& pieces);

}  // namespace gonogo::tools
