// "Did you mean": the known word closest to a misspelt one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gonogo::core {

/// The candidate with the fewest inserted, dropped, changed or swapped letters, the first of equals; empty when none is
/// nearer than a third of the word (and at most three letters).
[[nodiscard]] std::string nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace gonogo::core
