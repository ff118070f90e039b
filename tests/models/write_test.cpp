// A model folder is there in full or not at all.
#include "engine/models/write_model.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/models/graph_writer.hpp"
#include "engine/models/presets.hpp"
#include "harness/core/error.hpp"
#include "tests/catch.hpp"
#include "tests/models/temp_folder.hpp"

using namespace gonogo;
namespace fs = std::filesystem;
using models::ModelSpec;

namespace {

/// Runs `body` in a child process and returns its wait status.
int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

/// Big enough for several pieces, so that half of it can be written.
ModelSpec several_pieces() {
  ModelSpec spec = models::find_preset("tiny").spec;
  spec.vocab = 16384;
  return spec;
}

}  // namespace

TEST_CASE("one seed gives one file for any number of threads", "[models]") {
  const tests::TempFolder temp;
  const ModelSpec spec = several_pieces();
  for (const int threads : {1, 2, 5})
    models::write_model(spec, temp.path() / std::to_string(threads), {.seed = 3, .threads = threads});
  const std::string one = tests::bytes_of_file(temp.path() / "1" / models::kDataFile);
  REQUIRE(one.size() > 8u << 20);
  CHECK((one == tests::bytes_of_file(temp.path() / "2" / models::kDataFile)));
  CHECK((one == tests::bytes_of_file(temp.path() / "5" / models::kDataFile)));
  models::write_model(spec, temp.path() / "other", {.seed = 4});
  CHECK((one != tests::bytes_of_file(temp.path() / "other" / models::kDataFile)));
}

TEST_CASE("folder_bytes is what the folder takes, and progress ends at the whole", "[models]") {
  const tests::TempFolder temp;
  const ModelSpec spec = models::find_preset("tiny").spec;
  std::vector<std::int64_t> done;
  std::int64_t whole = 0;
  models::write_model(spec, temp.path() / "m", {.threads = 3, .progress = [&](std::int64_t now, std::int64_t total) {
                                                  done.push_back(now);
                                                  whole = total;
                                                }});
  std::int64_t bytes = 0;
  for (const auto& file : fs::directory_iterator(temp.path() / "m"))
    bytes += static_cast<std::int64_t>(file.file_size());
  CHECK(bytes == models::folder_bytes(spec));
  REQUIRE(done.size() > 10);
  CHECK(std::is_sorted(done.begin(), done.end()));
  CHECK(done.back() == whole);
}

TEST_CASE("a writer killed half-way leaves nothing under the name, and its leftover is removed", "[models]") {
  const tests::TempFolder temp;
  const fs::path folder = temp.path() / "m";
  const ModelSpec spec = several_pieces();
  const int status = in_child([&] {
    models::write_model(spec, folder, {.threads = 1, .progress = [](std::int64_t done, std::int64_t total) {
                                         if (done * 2 > total) ::raise(SIGKILL);
                                       }});
    return 0;
  });
  REQUIRE(WIFSIGNALED(status));
  CHECK_FALSE(fs::exists(folder));
  CHECK(tests::entries_in(temp.path()) == 1);  // the leftover
  models::remove_leftovers(folder);
  CHECK(tests::entries_in(temp.path()) == 0);
  models::write_model(spec, folder);
  CHECK_FALSE(models::find_damage(spec, folder, 1).has_value());
  CHECK(tests::entries_in(temp.path()) == 1);
}

TEST_CASE("a folder that is still being written is no leftover", "[models]") {
  const tests::TempFolder temp;
  const fs::path folder = temp.path() / "m";
  bool cleaned = false;
  models::write_model(several_pieces(), folder, {.progress = [&](std::int64_t, std::int64_t) {
                        if (!cleaned) models::remove_leftovers(folder);
                        cleaned = true;
                      }});
  CHECK(cleaned);
  CHECK_FALSE(models::find_damage(several_pieces(), folder, 1).has_value());
}

TEST_CASE("a disk that takes no more is an environment error and leaves nothing", "[models]") {
  const tests::TempFolder temp;
  // A limit on file size fails the write where a full disk would.
  const int status = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1u << 20, 1u << 20};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      models::write_model(several_pieces(), temp.path() / "m");
    } catch (const core::EnvironmentError&) {
      return 5;
    } catch (...) {
      return 1;
    }
    return 0;
  });
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 5);
  CHECK(tests::entries_in(temp.path()) == 0);
}

TEST_CASE("a model larger than the disk is refused before writing, with the bytes wanted and free", "[models]") {
  const tests::TempFolder temp;
  ModelSpec spec = models::find_preset("qwen2.5-14b").spec;
  spec.layers = 1024;
  spec.ffn = 1 << 24;
  std::string message;
  try {
    models::write_model(spec, temp.path() / "m");
  } catch (const core::EnvironmentError& error) {
    message = error.what();
  }
  CHECK(message.find("needs " + std::to_string(models::folder_bytes(spec)) + " bytes") != std::string::npos);
  CHECK(message.find("free") != std::string::npos);
  CHECK(tests::entries_in(temp.path()) == 0);
}

TEST_CASE("a writer's exception stops the others and leaves nothing", "[models]") {
  const tests::TempFolder temp;
  CHECK_THROWS_AS(models::write_model(
                      several_pieces(), temp.path() / "m",
                      {.threads = 3, .progress = [](std::int64_t, std::int64_t) { throw core::ResultError("stop"); }}),
                  core::ResultError);
  CHECK(tests::entries_in(temp.path()) == 0);
}

TEST_CASE("a folder with files is not overwritten, an empty one is used", "[models]") {
  const tests::TempFolder temp;
  const ModelSpec spec = models::find_preset("tiny-glm").spec;
  fs::create_directory(temp.path() / "empty");
  models::write_model(spec, temp.path() / "empty" / "");  // a trailing slash names the same folder
  CHECK_FALSE(models::find_damage(spec, temp.path() / "empty", 1).has_value());
  const std::string before = tests::bytes_of_file(temp.path() / "empty" / models::kDataFile);
  CHECK_THROWS_AS(models::write_model(spec, temp.path() / "empty", {.seed = 2}), core::UsageError);
  CHECK((before == tests::bytes_of_file(temp.path() / "empty" / models::kDataFile)));
  CHECK(tests::entries_in(temp.path()) == 1);
}
