// Text files compiled into the program (see scripts/cmake/gonogo_embed.cmake).
#pragma once

#include <span>
#include <string_view>

namespace gonogo::record {

struct EmbeddedFile {
  std::string_view name;  // file name without its folder
  std::string_view text;
};

}  // namespace gonogo::record
