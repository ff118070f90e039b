#include "harness/cli/run_main.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>

#include "harness/core/error.hpp"
#include "tests/catch.hpp"

using namespace gonogo;
using core::ExitCode;

namespace {

struct Ended {
  int code = -1;
  std::string errors;
};

// Runs a main in a child, as a program would, with stdout on `output`.
Ended run(const std::function<ExitCode()>& body, const char* output = "/dev/null") {
  int pipe_ends[2];
  REQUIRE(::pipe(pipe_ends) == 0);
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(pipe_ends[1], STDERR_FILENO);
    ::dup2(::open(output, O_WRONLY), STDOUT_FILENO);
    char name[] = "tool";
    char* argv[] = {name, nullptr};
    const int code = cli::run_main(1, argv, "tool", [&](int, char**) { return body(); });
    std::fflush(nullptr);
    ::_exit(code);
  }
  ::close(pipe_ends[1]);
  Ended ended;
  char block[4096];
  while (const ssize_t count = ::read(pipe_ends[0], block, sizeof block)) {
    if (count < 0) break;
    ended.errors.append(block, static_cast<std::size_t>(count));
  }
  ::close(pipe_ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status)) ended.code = WEXITSTATUS(status);
  return ended;
}

}  // namespace

TEST_CASE("a program's exit code is its body's", "[cli]") {
  for (const ExitCode code : {ExitCode::ok, ExitCode::no_go, ExitCode::inconclusive, ExitCode::failed_rows}) {
    const auto ended = run([&] { return code; });
    CHECK(ended.code == static_cast<int>(code));
    CHECK(ended.errors.empty());
  }
}

TEST_CASE("every exception becomes one line on stderr and its exit code", "[cli]") {
  auto ended = run([]() -> ExitCode { throw core::UsageError("--m: wanted at least 1, got 0"); });
  CHECK(ended.code == 2);
  CHECK(ended.errors == "tool: error: --m: wanted at least 1, got 0\n");
  ended = run([]() -> ExitCode { throw core::InputError({"m.onnx", "node a", "bad\nthing", ""}); });
  CHECK(ended.code == 2);
  CHECK(ended.errors == "tool: error: m.onnx: node a: bad thing\n");
  CHECK(run([]() -> ExitCode { throw core::ResultError("x"); }).code == 4);
  CHECK(run([]() -> ExitCode { throw core::EnvironmentError("x"); }).code == 5);
  ended = run([]() -> ExitCode { throw std::bad_alloc(); });
  CHECK(ended.code == 5);
  CHECK(ended.errors == "tool: error: out of memory\n");
  ended = run([]() -> ExitCode { throw std::runtime_error("surprise"); });
  CHECK(ended.code == 4);
  CHECK(ended.errors == "tool: error: surprise\n");
  CHECK(run([]() -> ExitCode { throw 7; }).code == 4);
}

TEST_CASE("results that cannot be written to stdout are an error, even when the verdict was good", "[cli]") {
  const auto ended = run(
      [] {
        std::printf("results");
        return ExitCode::ok;
      },
      "/dev/full");
  CHECK(ended.code == 2);
  CHECK(ended.errors.find("tool: error: cannot write stdout: ") == 0);
}
