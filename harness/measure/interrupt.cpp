#include "harness/measure/interrupt.hpp"

#include <signal.h>

#include <atomic>

#include "harness/core/error.hpp"

namespace gonogo::measure {
namespace {

// A signal handler can reach nothing but globals.
std::atomic<bool> caught{false};
std::atomic<bool> guarded{false};
static_assert(std::atomic<bool>::is_always_lock_free, "only lock-free atomics are safe in a signal handler");
struct sigaction old_interrupt, old_terminate;

extern "C" void gonogo_on_signal(int signal) {
  if (!caught.exchange(true)) return;
  ::signal(signal, SIG_DFL);
  ::raise(signal);  // takes effect on return: the signal is blocked in its own handler
}

}  // namespace

SignalGuard::SignalGuard() {
  GONOGO_EXPECT(!guarded.exchange(true), "one SignalGuard at a time");
  caught = false;
  struct sigaction action = {};
  action.sa_handler = gonogo_on_signal;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &old_interrupt);
  ::sigaction(SIGTERM, &action, &old_terminate);
}

SignalGuard::~SignalGuard() {
  ::sigaction(SIGINT, &old_interrupt, nullptr);
  ::sigaction(SIGTERM, &old_terminate, nullptr);
  guarded = false;
}

bool interrupted() noexcept { return caught.load(std::memory_order_relaxed); }

}  // namespace gonogo::measure
