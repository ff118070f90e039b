#include "tools/bench/interrupt.hpp"

#include <csignal>

namespace gonogo::bench {
namespace {

// A signal handler can only reach a global of this type.
volatile std::sig_atomic_t flag = 0;

void set_flag(int) { flag = 1; }

}  // namespace

void watch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = set_flag;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return flag != 0; }

}  // namespace gonogo::bench
