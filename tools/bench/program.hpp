// The body of every benchmark program: options, run, tables, verdict, files, exit code.
#pragma once

#include "tools/bench/options.hpp"

namespace gonogo::bench {

/// The exit code, one of core::ExitCode.
[[nodiscard]] int run_program(int argc, char** argv, const Program& program);

}  // namespace gonogo::bench
