#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "harness/core/error.hpp"
#include "harness/record/run_record.hpp"
#include "harness/record/strict_json.hpp"
#include "tests/catch.hpp"

using namespace gonogo;
namespace fs = std::filesystem;

namespace {

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("gonogo_files_" + std::to_string(::getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  [[nodiscard]] fs::path operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

std::string refusal(const std::string& path) {
  std::string checked, written;
  try {
    record::check_writable(path);
  } catch (const core::UsageError& error) {
    checked = error.what();
  }
  try {
    record::write_file(path, "x");
  } catch (const core::UsageError& error) {
    written = error.what();
  }
  CHECK(checked == written);  // what writing would say is said before measuring
  return checked;
}

}  // namespace

TEST_CASE("a file is written whole, replaces the old one and leaves nothing beside it", "[record]") {
  const Folder folder;
  const auto path = folder / "run.json";
  record::check_writable(path.string());
  CHECK(folder.entries() == 0);
  record::write_file(path, "first, longer");
  record::write_file(path, "second");
  CHECK(record::read_text(path) == "second");
  CHECK(folder.entries() == 1);
}

TEST_CASE("an unwritable output is refused before measuring, with path and reason", "[record]") {
  const Folder folder;
  const auto missing = (folder / "no_dir" / "out.json").string();
  CHECK(refusal(missing) == "cannot write " + missing + ": No such file or directory (the folder must exist)");
  const auto directory = (folder / "dir").string();
  fs::create_directory(directory);
  CHECK(refusal(directory) == "cannot write " + directory + ": Is a directory");
  CHECK(refusal(directory + "/") == "cannot write " + directory + "/: Is a directory");
  CHECK(refusal("") == "cannot write: the file name is empty");
  const auto file = (folder / "file").string();
  record::write_file(file, "x");
  CHECK(refusal(file + "/out.json") == "cannot write " + file + "/out.json: Not a directory");
  CHECK(refusal((folder / std::string(300, 'n')).string()).find("File name too long") != std::string::npos);
}

TEST_CASE("a read-only folder or file is refused for whom it is read-only", "[record]") {
  if (::geteuid() == 0) return tests::skip_test("root may write everywhere");
  const Folder folder;
  const auto path = (folder / "file").string();
  record::write_file(path, "x");
  REQUIRE(::chmod(path.c_str(), 0444) == 0);
  CHECK(refusal(path).find("Permission denied") != std::string::npos);
}

TEST_CASE("a file system that cannot be written is refused", "[record]") {
  // A bare root has an ordinary folder there.
  if (!fs::exists("/proc/self")) return tests::skip_test("/proc is not mounted");
  CHECK(refusal("/proc/gonogo.json").find("cannot write /proc/gonogo.json: ") == 0);
}

TEST_CASE("a full disk is an error and the old file stays", "[record]") {
  CHECK_THROWS_AS(record::write_file("/dev/full", "x"), core::UsageError);
  CHECK(fs::is_character_file("/dev/full"));
}

TEST_CASE("devices, pipes and links are written through, not replaced", "[record]") {
  const Folder folder;
  record::check_writable("/dev/null");
  record::write_file("/dev/null", "x");
  CHECK(fs::is_character_file("/dev/null"));
  record::check_writable("-");
  record::write_file(folder / "real", "old");
  fs::create_symlink(folder / "real", folder / "link");
  record::write_file(folder / "link", "new");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(record::read_text(folder / "real") == "new");
}

TEST_CASE("a file that cannot be read is an input error with the system's words", "[record]") {
  const Folder folder;
  const auto words = [](const fs::path& path) -> std::string {
    try {
      (void)record::read_text(path);
    } catch (const core::InputError& error) {
      return error.what();
    }
    return "read";
  };
  CHECK(words(folder / "none").find("none: cannot be read: No such file or directory") != std::string::npos);
  CHECK(words(folder / "").find("cannot be read: Is a directory") != std::string::npos);
  CHECK(words("") == "the file name is empty");
}
