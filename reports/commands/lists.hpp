// Option values that are more than one word: lists, and a name with its file.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gonogo::reports {

/// "device,model" -> {"device", "model"}; an empty text is an empty list. Throws core::UsageError for a word that is
/// not one of `known` (unless that is empty), for an empty one and for one given twice.
[[nodiscard]] std::vector<std::string> names_in(const std::string& flag, const std::string& text,
                                                const std::vector<std::string>& known = {});

/// "NAME=FILE" -> {NAME, FILE}. Throws core::UsageError where either is missing.
[[nodiscard]] std::pair<std::string, std::string> named_file(const std::string& flag, const std::string& text);

}  // namespace gonogo::reports
