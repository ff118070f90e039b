// Ctrl-C ends a run in good order: loops ask interrupted(), the record so far is written. A second Ctrl-C ends at once.
#pragma once

namespace gonogo::measure {

/// Catches SIGINT and SIGTERM while it lives, and gives them back to their former handlers afterwards. One at a time.
class SignalGuard {
 public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
};

/// A signal came while a SignalGuard lived. Cheap: one atomic load.
[[nodiscard]] bool interrupted() noexcept;

}  // namespace gonogo::measure
