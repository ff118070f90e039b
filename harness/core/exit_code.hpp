// The exit codes every executable shares, and which one wins when several apply.
#pragma once

#include <initializer_list>
#include <string_view>

namespace gonogo::core {

enum class ExitCode : int {
  ok = 0,                   // GO, or no regression
  no_go = 1,                // NO-GO, or a confirmed regression
  usage = 2,                // usage, unreadable or malformed input, bad gate file
  inconclusive = 3,         // inconclusive, unmeasured or between
  failed_rows = 4,          // missing or failed rows, wrong output, a probe that crashed
  invalid_environment = 5,  // busy, throttled, not comparable, no such device
};

/// The code to exit with when all of `codes` apply: 2 > 4 > 1 > 5 > 3 > 0.
[[nodiscard]] ExitCode strongest(std::initializer_list<ExitCode> codes);
[[nodiscard]] ExitCode stronger(ExitCode a, ExitCode b);
[[nodiscard]] std::string_view name_of(ExitCode code);

}  // namespace gonogo::core
