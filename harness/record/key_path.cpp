#include "harness/record/key_path.hpp"

#include <fmt/format.h>

namespace gonogo::record {

std::string to_string(const KeyPath& path) {
  std::string text;
  for (const PathPart& part : path) {
    if (const auto* index = std::get_if<std::size_t>(&part)) {
      text += fmt::format("[{}]", *index);
    } else {
      if (!text.empty()) text += '.';
      text += std::get<std::string>(part);
    }
  }
  return text;
}

}  // namespace gonogo::record
