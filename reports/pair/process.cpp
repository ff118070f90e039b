#include "reports/pair/process.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "harness/core/error.hpp"
#include "harness/record/strict_json.hpp"

extern char** environ;

namespace gonogo::reports {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kPlaceholder = "{out}";
constexpr double kGraceSeconds = 5;  // between asking a process to end and ending it

[[noreturn]] void cannot(const std::string& what, int code) {
  throw core::EnvironmentError(fmt::format("cannot {}: {}", what, std::generic_category().message(code)));
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "gonogo-pair-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) cannot("make a temporary folder", errno);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

class FileActions {
 public:
  FileActions() { ::posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  void open(int descriptor, const char* path, int flags) {
    if (const int code = ::posix_spawn_file_actions_addopen(&actions_, descriptor, path, flags, 0600))
      cannot("redirect a stream", code);
  }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

class Attributes {
 public:
  explicit Attributes(const sigset_t& mask) {
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setsigmask(&attributes_, &mask);
  }
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string filled(std::string command, const std::string& file) {
  const std::string replacement = quoted(file);
  for (auto at = command.find(kPlaceholder); at != std::string::npos;
       at = command.find(kPlaceholder, at + replacement.size()))
    command.replace(at, kPlaceholder.size(), replacement);
  return command;
}

// The variables of this process with one replaced.
std::vector<std::string> environment_with(const std::optional<std::string>& gpu) {
  constexpr std::string_view kName = "CUDA_VISIBLE_DEVICES=";
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (!gpu || std::string_view(*variable).substr(0, kName.size()) != kName) variables.emplace_back(*variable);
  if (gpu) variables.push_back(fmt::format("{}{}", kName, *gpu));
  return variables;
}

pid_t spawn(const std::string& command, const ShellCommand& asked, const TemporaryFolder& folder,
            const SignalHold& signals) {
  FileActions streams;
  streams.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  streams.open(STDOUT_FILENO, folder.file("stdout").c_str(), O_WRONLY | O_CREAT | O_TRUNC);
  streams.open(STDERR_FILENO, folder.file("stderr").c_str(), O_WRONLY | O_CREAT | O_TRUNC);
  const Attributes attributes(signals.former());
  std::string shell = "sh", flag = "-c", text = command;
  char* const argv[] = {shell.data(), flag.data(), text.data(), nullptr};
  auto variables = environment_with(asked.gpu);
  std::vector<char*> environment;
  for (auto& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  pid_t child = 0;
  if (const int code = ::posix_spawn(&child, "/bin/sh", streams.get(), attributes.get(), argv, environment.data()))
    cannot("start a shell", code);
  return child;
}

// True once it has ended; it is not reaped yet, so its process group can still be named.
bool has_ended(pid_t child) {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0) cannot("wait", errno);
  return info.si_pid == child;
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Waits for the end, or brings it about: asked to stop or out of time, politely first.
void wait_for(ShellRun& run, const ShellCommand& command, const SignalHold& signals, Clock::time_point start) {
  std::optional<double> ending;  // when it was asked to end
  while (!has_ended(run.pid)) {
    const timespec tick{0, 100'000'000};
    const int signal = ::sigtimedwait(&signals.held(), nullptr, &tick);
    const double now = seconds_since(start);
    if (signal == SIGINT || signal == SIGTERM) {
      if (run.interrupted) ::kill(-run.pid, SIGKILL);  // asked twice
      run.interrupted = true;
    }
    if (command.timeout_s > 0 && now > command.timeout_s) run.timed_out = true;
    if (!ending && (run.interrupted || run.timed_out)) {
      ::kill(-run.pid, SIGTERM);
      ending = now;
    }
    if (ending && now - *ending > kGraceSeconds) ::kill(-run.pid, SIGKILL);
  }
  run.wall_s = seconds_since(start);
}

}  // namespace

SignalHold::SignalHold() {
  ::sigemptyset(&held_);
  for (const int signal : {SIGINT, SIGTERM, SIGCHLD}) ::sigaddset(&held_, signal);
  if (const int code = ::pthread_sigmask(SIG_BLOCK, &held_, &former_)) cannot("hold signals", code);
}

SignalHold::~SignalHold() { ::pthread_sigmask(SIG_SETMASK, &former_, nullptr); }

bool SignalHold::asked_to_stop() const {
  bool asked = false;
  const timespec now{0, 0};
  for (int signal = 0; (signal = ::sigtimedwait(&held_, nullptr, &now)) > 0;)
    asked = asked || signal == SIGINT || signal == SIGTERM;
  return asked;
}

ShellRun run_shell(const ShellCommand& command, const SignalHold& signals) {
  const TemporaryFolder folder;
  const bool to_file = command.text.find(kPlaceholder) != std::string::npos;
  ShellRun run;
  run.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  const auto start = Clock::now();
  run.pid = spawn(filled(command.text, folder.file("out")), command, folder, signals);
  wait_for(run, command, signals, start);
  ::kill(-run.pid, SIGKILL);  // whatever it left running
  int status = 0;
  while (::waitpid(run.pid, &status, 0) < 0)
    if (errno != EINTR) cannot("wait", errno);
  if (WIFEXITED(status)) run.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) run.signal = WTERMSIG(status);
  run.messages = record::read_text(folder.file("stderr"));
  const auto output = folder.file(to_file ? "out" : "stdout");
  if (fs::exists(output)) run.output = record::read_text(output);
  return run;
}

}  // namespace gonogo::reports
