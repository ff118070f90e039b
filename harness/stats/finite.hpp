// The precondition every statistic shares: only finite values.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <span>

#include "harness/core/error.hpp"

namespace gonogo::stats {

inline void expect_finite(std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    GONOGO_EXPECT(std::isfinite(values[i]), fmt::format("value {} of {} is {}", i, values.size(), values[i]));
}

}  // namespace gonogo::stats
