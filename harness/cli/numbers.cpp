#include "harness/cli/numbers.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "harness/core/error.hpp"

namespace gonogo::cli {

std::int64_t parse_integer(std::string_view text, const std::string& name, IntegerRange range) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = end == text.data() + text.size() && !text.empty();
  if (!whole || code == std::errc::invalid_argument)
    throw core::UsageError(fmt::format("{}: '{}' is not a whole number (write plain decimal digits)", name, text));
  if (code == std::errc::result_out_of_range)
    throw core::UsageError(fmt::format("{}: {} does not fit 64 bits", name, text));
  if (value < range.min) throw core::UsageError(fmt::format("{}: wanted at least {}, got {}", name, range.min, text));
  if (value > range.max) throw core::UsageError(fmt::format("{}: wanted at most {}, got {}", name, range.max, text));
  return value;
}

double parse_real(std::string_view text, const std::string& name, RealRange range) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::general);
  const bool whole = end == text.data() + text.size() && !text.empty();
  if (!whole || code == std::errc::invalid_argument || (code == std::errc() && !std::isfinite(value)))
    throw core::UsageError(fmt::format("{}: '{}' is not a number", name, text));
  if (code == std::errc::result_out_of_range)
    throw core::UsageError(fmt::format("{}: {} does not fit a double", name, text));
  if (value < range.min) throw core::UsageError(fmt::format("{}: wanted at least {}, got {}", name, range.min, text));
  if (value > range.max) throw core::UsageError(fmt::format("{}: wanted at most {}, got {}", name, range.max, text));
  return value;
}

}  // namespace gonogo::cli
