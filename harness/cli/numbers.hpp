// Numbers as the command line writes them: read exactly, or refused with the text that was given.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace gonogo::cli {

struct IntegerRange {
  std::int64_t min = std::numeric_limits<std::int64_t>::min();
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
};
struct RealRange {
  double min = std::numeric_limits<double>::lowest();
  double max = std::numeric_limits<double>::max();
};

/// Decimal digits with an optional minus sign and nothing else: "1e9", "0x10", "10k", "1_000", "+1", " 1" are refused.
/// Throws core::UsageError "NAME: ..." that quotes `text`; never wraps or clamps.
[[nodiscard]] std::int64_t parse_integer(std::string_view text, const std::string& name, IntegerRange range = {});

/// A decimal number, with an exponent if wanted ("2.5", "1e-3"); not finite, hexadecimal or with a suffix is refused.
[[nodiscard]] double parse_real(std::string_view text, const std::string& name, RealRange range = {});

}  // namespace gonogo::cli
