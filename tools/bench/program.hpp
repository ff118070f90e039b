// The body of every benchmark program: options, run, tables, verdict, files, exit code.
#pragma once

#include "tools/bench/options.hpp"

namespace gonogo::bench {

/// Never throws; the exit code is one of MEASURING.md.
[[nodiscard]] int run_program(int argc, const char* const* argv, const Program& program) noexcept;

}  // namespace gonogo::bench
