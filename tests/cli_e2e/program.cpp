#include "tests/cli_e2e/program.hpp"
#include "tests/folders.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

namespace gonogo::tests {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void start(const std::string& program, const std::vector<std::string>& arguments, const Folder& folder) {
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const auto redirect = [&](const char* name, int to) {
    const int file = ::open(folder.file(name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || ::dup2(file, to) < 0) ::_exit(126);
  };
  redirect("stdout", STDOUT_FILENO);
  redirect("stderr", STDERR_FILENO);
  ::execv(program.c_str(), argv.data());
  ::_exit(127);
}

// Polls for the child's end; interrupts it when asked.
int wait_for(pid_t child, const std::optional<Interrupt>& interrupt) {
  const auto begin = std::chrono::steady_clock::now();
  bool sent = false;
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0) throw std::runtime_error("waitpid failed");
    const bool late = interrupt && std::chrono::steady_clock::now() - begin > interrupt->at_most;
    if (interrupt && !sent && (late || fs::exists(interrupt->when_file))) {
      ::kill(child, SIGINT);
      sent = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace

Folder::Folder() {
  std::string name = (fs::temp_directory_path() / "gonogo-e2e-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

Ran run_program(const std::string& name, const std::vector<std::string>& arguments,
                const std::optional<Interrupt>& interrupt) {
  const std::string program = (tests::build_folder() / "bin" / name).string();
  if (!fs::exists(program)) throw std::runtime_error(program + " was not built");
  const Folder streams;
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) start(program, arguments, streams);
  const int status = wait_for(child, interrupt);
  Ran ran;
  if (WIFEXITED(status)) ran.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ran.signal = WTERMSIG(status);
  ran.out = text_of(streams.file("stdout"));
  ran.err = text_of(streams.file("stderr"));
  return ran;
}

}  // namespace gonogo::tests
