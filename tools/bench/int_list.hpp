// Lists of whole numbers on the command line: "1,2,4", "64:512:64" (both ends), "pow2:1:16", and any mix with commas.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gonogo::bench {

/// Ascending, without repeats. `option` names the option in errors. Throws UsageError for anything that is not a whole number
/// within [least, most] (hexadecimal, suffixes, signs in odd places, overflow), for an empty item, and for a range that is
/// reversed, has a step below 1 or more than 4096 members.
[[nodiscard]] std::vector<std::int64_t> parse_int_list(const std::string& text, const std::string& option, std::int64_t least,
                                                       std::int64_t most);

}  // namespace gonogo::bench
