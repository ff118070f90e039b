#include "harness/cli/run_main.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <system_error>

#include "harness/core/error.hpp"

namespace gonogo::cli {
namespace {

using core::ExitCode;

ExitCode report(std::string_view name, ExitCode code, std::string message) {
  for (char& c : message)
    if (c == '\n' || c == '\r') c = ' ';
  std::fflush(stdout);  // results first, where both streams meet
  fmt::print(stderr, "{}: error: {}\n", name, message);
  return code;
}

ExitCode guarded(int argc, char** argv, std::string_view name, const std::function<ExitCode(int, char**)>& body) {
  try {
    return body(argc, argv);
  } catch (const core::Error& error) {
    return report(name, error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return report(name, ExitCode::invalid_environment, "out of memory");
  } catch (const std::exception& error) {
    return report(name, ExitCode::failed_rows, error.what());
  } catch (...) {
    return report(name, ExitCode::failed_rows, "an exception of unknown kind");
  }
}

}  // namespace

int run_main(int argc, char** argv, std::string_view name, const std::function<ExitCode(int, char**)>& body) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is a write error, not a death by signal
  ExitCode code = guarded(argc, argv, name, body);
  errno = 0;
  if ((std::fflush(stdout) != 0 || std::ferror(stdout) != 0) && errno != EPIPE) {
    const std::string reason = errno == 0 ? "write error" : std::generic_category().message(errno);
    code = core::stronger(code, report(name, ExitCode::usage, "cannot write stdout: " + reason));
  }
  return static_cast<int>(code);
}

}  // namespace gonogo::cli
