// What every test returns: the p-value and how it was come by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gonogo::stats {

/// What the alternative claims of the second sample (the candidate) against the first (the base).
enum class Alternative { different, greater, less };

enum class PMethod {
  exact,        // every arrangement was counted
  monte_carlo,  // seeded random arrangements, the observed one counted with them
  normal,       // normal approximation with correction for ties and continuity
};
[[nodiscard]] std::string_view name_of(PMethod method);

struct PValue {
  double p = 1;
  PMethod method = PMethod::exact;
  std::uint64_t arrangements = 0;  // counted (exact) or drawn (monte_carlo); 0 for normal
};

}  // namespace gonogo::stats
