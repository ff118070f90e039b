// Decisions by file or by id, as verify and status take them.
#pragma once

#include <string>
#include <vector>

#include "reports/decisions/store.hpp"

namespace gonogo::reports {

/// Each word is the id of a decision in the store, a file of decisions, or a folder of such files (its *.md). Throws
/// core::UsageError for a word that is none of these, and core::InputError for a file without any.
[[nodiscard]] std::vector<PlacedDrop> decisions_named(const std::vector<std::string>& words, const Store& store);

}  // namespace gonogo::reports
