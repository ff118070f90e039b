// How many terminal columns a UTF-8 text takes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gonogo::reports {

enum class Align { left, right };

/// Combining marks and control characters take none, East Asian wide characters and emoji two, invalid bytes one each.
[[nodiscard]] std::size_t display_width(std::string_view utf8);
/// Filled with blanks to `width` columns; a wider text stays as it is.
[[nodiscard]] std::string padded(std::string_view utf8, std::size_t width, Align align);

}  // namespace gonogo::reports
