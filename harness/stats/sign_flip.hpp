// The sign-flip test of paired differences: if the arms are alike, each difference could as well have had the other
// sign.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "harness/stats/p_value.hpp"

namespace gonogo::stats {

struct SignFlipOptions {
  Alternative alternative = Alternative::different;
  std::size_t most_exact = 30;  // more differences than this: Monte Carlo; at most 40
  std::uint64_t draws = 20000;  // of Monte Carlo; p = (1 + as extreme) / (1 + draws)
  std::uint64_t seed = 1;
};

/// Statistic: the sum, which for fixed absolute values orders sign patterns as the mean does. Exact counting splits the
/// differences in two halves and joins their sorted sums, 2^(n/2) steps instead of 2^n. Differences are read as
/// multiples of 2^-44 of the largest, so ties are ties and the result does not depend on the order or the machine.
/// nullopt without differences; p = 1 when all are zero. Throws LogicError on a non-finite value.
[[nodiscard]] std::optional<PValue> sign_flip(std::span<const double> differences, const SignFlipOptions& options = {});

/// The smallest p that n differences can reach: when they all point the same way and none is zero.
[[nodiscard]] double smallest_sign_flip_p(std::size_t n, const SignFlipOptions& options = {});

}  // namespace gonogo::stats
