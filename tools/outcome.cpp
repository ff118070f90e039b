#include "tools/outcome.hpp"

#include <fmt/format.h>

namespace gonogo::tools {

core::ExitCode tell_counts(const std::map<Outcome, int>& counts) {
  const auto count = [&](Outcome outcome) {
    const auto found = counts.find(outcome);
    return found == counts.end() ? 0 : found->second;
  };
  fmt::print("right {}\nrefused {}\nwrong {}\n", count(Outcome::right), count(Outcome::refused), count(Outcome::wrong));
  return count(Outcome::wrong) > 0 ? core::ExitCode::failed_rows : core::ExitCode::ok;
}

}  // namespace gonogo::tools
