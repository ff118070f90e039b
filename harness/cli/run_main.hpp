// The one way a program starts and ends.
#pragma once

#include <functional>
#include <string_view>

#include "harness/core/exit_code.hpp"

namespace gonogo::cli {

/// Runs `body` and returns the process exit code: the body's, or that of the exception that left it, told as one line
/// "NAME: error: ..." on stderr. Out of memory is exit 5; an exception that is no core::Error is a crash, exit 4;
/// results that could not be written to stdout are exit 2 (a reader that closed its pipe is not). int main(int argc,
/// char** argv) { return cli::run_main(argc, argv, "decode", run); }
[[nodiscard]] int run_main(int argc, char** argv, std::string_view name,
                           const std::function<core::ExitCode(int, char**)>& body);

}  // namespace gonogo::cli
