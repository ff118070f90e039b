#include "harness/measure/interrupt.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "harness/core/error.hpp"
#include "harness/measure/stopping.hpp"
#include "tests/catch.hpp"

using namespace gonogo;
using measure::FixedCount;
using measure::StopReason;

TEST_CASE("a signal sets the flag, the run goes on, and the next guard starts clean", "[measure]") {
  for (const int signal : {SIGINT, SIGTERM}) {
    const measure::SignalGuard guard;
    CHECK_FALSE(measure::interrupted());
    CHECK(FixedCount{3}.after(2) == StopReason::going);
    std::raise(signal);
    CHECK(measure::interrupted());
    CHECK(FixedCount{3}.after(2) == StopReason::interrupted);
    CHECK(FixedCount{3}.after(3) == StopReason::count);
  }
  const measure::SignalGuard guard;
  CHECK_FALSE(measure::interrupted());
}

TEST_CASE("a second signal ends the program at once", "[measure]") {
  const pid_t child = ::fork();
  if (child == 0) {
    const measure::SignalGuard guard;
    std::raise(SIGINT);
    std::raise(SIGINT);
    ::_exit(7);  // not reached
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGINT);
}

TEST_CASE("after the guard the former handler is back", "[measure]") {
  const auto before = std::signal(SIGINT, SIG_IGN);
  { const measure::SignalGuard guard; }
  CHECK(std::signal(SIGINT, before) == SIG_IGN);
}

TEST_CASE("two guards at once are a bug", "[measure]") {
  const measure::SignalGuard guard;
  CHECK_THROWS_AS(measure::SignalGuard(), core::LogicError);
}
