// Sweep axes: the list of values a text asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace gonogo::cli {

struct AxisRule {
  std::int64_t min = 1;
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
  std::size_t most_points = 10000;
};

/// What parse_axis reads, for --help.
inline constexpr std::string_view kAxisForms =
    "1,2,4 | a:b[:step] | a-b[+step] | a-b*factor | pow2:a:b | [pow2]=[e:e[:step]]";

/// A comma list of items, each a number or a range; ends are inclusive, a last step that would pass the end is left
/// out:
///   "512"                  one value
///   "1:8", "1:9:2"         1 to 8 by 1; 1 3 5 7 9               (first:last:step)
///   "1-8", "1-8+2"         1 to 8 by 1; 1 3 5 7                 (llama-bench)
///   "1-64*2"               1 2 4 ... 64
///   "pow2:1:16"            powers of two from 1 to 16, both ends powers of two
///   "[pow2]=[0:4:2]"       2^0 2^2 2^4: the exponents            (nvbench); brackets may stand around a list or range
///   as well
/// Keeps the given order. Throws core::UsageError "NAME: ..." for an empty list or item, a value twice, one outside the
/// rule (0 and negative by default), an overflow, a range that runs backwards or never ends, too many points.
[[nodiscard]] std::vector<std::int64_t> parse_axis(std::string_view text, const std::string& name,
                                                   const AxisRule& rule = {});

}  // namespace gonogo::cli
