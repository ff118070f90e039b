// Runs the built gonogo through a shell in a folder of the test's own.
#pragma once

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "harness/record/strict_json.hpp"
#include "tests/folders.hpp"

namespace gonogo::tests {

struct Ended {
  int code;  // exit code; -1 when a signal ended it
  std::string out, err;
};

inline Ended run_gonogo(const std::filesystem::path& folder, const std::string& arguments) {
  const std::string command = fmt::format("cd '{}' && '{}/bin/gonogo' {} > out.txt 2> err.txt", folder.string(),
                                          tests::build_folder().string(), arguments);
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, record::read_text(folder / "out.txt"),
          record::read_text(folder / "err.txt")};
}

}  // namespace gonogo::tests
