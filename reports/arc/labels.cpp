#include "reports/arc/labels.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.hpp"

namespace gonogo::reports {

std::string common_label(const std::vector<std::vector<std::string>>& rows, const std::string& asked,
                         const std::string& what) {
  std::vector<std::pair<std::string, std::size_t>> counts;  // in order of appearance
  for (const auto& row : rows)
    for (const auto& value : row) {
      const auto found =
          std::find_if(counts.begin(), counts.end(), [&](const auto& one) { return one.first == value; });
      if (found == counts.end()) {
        counts.emplace_back(value, 1);
      } else {
        ++found->second;
      }
    }
  if (!asked.empty()) {
    std::vector<std::string> known;
    for (const auto& [value, unused] : counts) known.push_back(value);
    if (std::find(known.begin(), known.end(), asked) == known.end())
      throw core::UsageError(fmt::format("{}: no record has '{}', they have {}", what, asked,
                                         known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
    return asked;
  }
  std::string best;
  std::size_t most = 0;
  double largest = 0;
  for (const auto& [value, count] : counts) {
    const double number = std::strtod(value.c_str(), nullptr);
    if (count > most || (count == most && number > largest)) {
      best = value;
      most = count;
      largest = number;
    }
  }
  return best;
}

}  // namespace gonogo::reports
