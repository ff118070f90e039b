// JSON without surprises: what the standard leaves to chance (duplicate keys, overflow, NaN, trailing text) is an error
// here.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/json.hpp"

namespace gonogo::record {

/// Parses exactly one UTF-8 JSON document. Throws core::InputError with `file`, key path and line for: an empty
/// document, a byte order mark, trailing text, NaN and infinity in any spelling, a number beyond a double or beneath
/// the smallest one, an integer beyond 64 bits, a key given twice, nesting deeper than 100, invalid UTF-8.
[[nodiscard]] Json parse_strict(std::string_view text, const std::string& file);

/// The whole file; throws core::InputError with the system's words when it cannot be read.
[[nodiscard]] std::string read_text(const std::filesystem::path& path);

/// Text of a document: numbers in their shortest form that reads back equal, integers beyond 2^53 as strings, invalid
/// UTF-8 replaced by U+FFFD, a final newline. Non-finite numbers become null, and their key paths are appended to
/// `undefined`.
[[nodiscard]] std::string dump_strict(Json document, std::vector<std::string>* undefined = nullptr);

/// Makes a document fit for dump_strict as described there: integers beyond 2^53 to strings, non-finite numbers to
/// null. Returns the key paths of the latter.
std::vector<std::string> make_strict(Json& document);

}  // namespace gonogo::record
