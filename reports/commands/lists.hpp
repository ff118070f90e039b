// Lists of words in option values.
#pragma once

#include <string>
#include <vector>

namespace gonogo::reports {

/// "device,model" -> {"device", "model"}; an empty text is an empty list. Throws core::UsageError for a word that is
/// not one of `known` (unless that is empty), for an empty one and for one given twice.
[[nodiscard]] std::vector<std::string> names_in(const std::string& flag, const std::string& text,
                                                const std::vector<std::string>& known = {});

}  // namespace gonogo::reports
