#include "reports/commands/lists.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.hpp"

namespace gonogo::reports {

std::vector<std::string> names_in(const std::string& flag, const std::string& text,
                                  const std::vector<std::string>& known) {
  std::vector<std::string> names;
  if (text.empty()) return names;
  for (std::size_t at = 0; at <= text.size();) {
    const auto comma = std::min(text.find(',', at), text.size());
    const auto word = text.substr(at, comma - at);
    if (word.empty()) throw core::UsageError(fmt::format("{}: an empty word in '{}'", flag, text));
    if (!known.empty() && std::find(known.begin(), known.end(), word) == known.end())
      throw core::UsageError(fmt::format("{}: wanted {}, got '{}'", flag, fmt::join(known, ", "), word));
    if (std::find(names.begin(), names.end(), word) != names.end())
      throw core::UsageError(fmt::format("{}: '{}' is given twice", flag, word));
    names.push_back(word);
    at = comma + 1;
  }
  return names;
}

std::pair<std::string, std::string> named_file(const std::string& flag, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw core::UsageError(fmt::format("{}: wanted NAME=FILE, got '{}'", flag, text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace gonogo::reports
