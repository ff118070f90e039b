// Runs a built program as a user would, both streams kept apart.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gonogo::tests {

struct Ran {
  int code = -1;    // exit code; -1 when a signal ended it
  int signal = 0;   // that signal
  std::string out;  // stdout
  std::string err;  // stderr
};

/// Sends SIGINT once the file exists and holds a run record, or after the time is up.
struct Interrupt {
  std::filesystem::path when_file;
  std::chrono::seconds at_most{60};
};

/// bin/NAME of this build with these arguments. Throws std::runtime_error when it cannot be started.
[[nodiscard]] Ran run_program(const std::string& name, const std::vector<std::string>& arguments,
                              const std::optional<Interrupt>& interrupt = std::nullopt);

/// A folder under the build's, removed at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

[[nodiscard]] std::string text_of(const std::filesystem::path& file);

}  // namespace gonogo::tests
