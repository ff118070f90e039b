// One fresh process: a shell command with its streams kept, an end to wait for, and nothing left behind.
#pragma once

#include <signal.h>

#include <optional>
#include <string>

namespace gonogo::reports {

/// Keeps SIGINT, SIGTERM and SIGCHLD waiting while it lives, so that run_shell can ask for them in its own time.
class SignalHold {
 public:
  SignalHold();
  ~SignalHold();
  SignalHold(const SignalHold&) = delete;
  SignalHold& operator=(const SignalHold&) = delete;
  [[nodiscard]] const sigset_t& held() const { return held_; }
  [[nodiscard]] const sigset_t& former() const { return former_; }
  /// A SIGINT or SIGTERM has come since the last question; does not wait.
  [[nodiscard]] bool asked_to_stop() const;

 private:
  sigset_t held_{}, former_{};
};

struct ShellCommand {
  std::string text;                // for sh -c; "{out}" becomes the quoted name of an empty file
  std::optional<std::string> gpu;  // CUDA_VISIBLE_DEVICES of the process
  double timeout_s = 0;            // 0: none
};

struct ShellRun {
  int pid = 0;
  int exit_code = -1;  // -1 when a signal ended it
  int signal = 0;
  bool timed_out = false;
  bool interrupted = false;  // we were asked to stop: what it wrote is of no use
  double wall_s = 0;
  std::string started;   // UTC, ISO 8601
  std::string output;    // of the {out} file, or stdout without one
  std::string messages;  // stderr
};

/// Runs it in a process group of its own with stdin closed, and ends the whole group before returning: a process left
/// running would disturb the next measurement. Throws core::EnvironmentError when it cannot be started.
[[nodiscard]] ShellRun run_shell(const ShellCommand& command, const SignalHold& signals);

}  // namespace gonogo::reports
