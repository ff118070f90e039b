// Checked narrowing of integers: the value or an exception, never a wrapped number.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "harness/core/error.hpp"

namespace gonogo::core {

template <class To, class From>
[[nodiscard]] constexpr To narrow(From value) {
  if (!std::in_range<To>(value)) throw LogicError("value in range", __FILE__, __LINE__, fmt::format("{}", value));
  return static_cast<To>(value);
}

}  // namespace gonogo::core
