#include "engine/models/cache.hpp"

#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "engine/models/graph_writer.hpp"
#include "engine/models/write_model.hpp"
#include "harness/core/error.hpp"
#include "tests/catch.hpp"
#include "tests/models/temp_folder.hpp"

using namespace gonogo;
namespace fs = std::filesystem;

namespace {

ino_t inode(const fs::path& file) {
  struct stat status {};
  REQUIRE(::stat(file.c_str(), &status) == 0);
  return status.st_ino;
}

void change_byte(const fs::path& file, std::int64_t at) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(at);
  const char changed = static_cast<char>(stream.get() ^ 1);
  stream.seekp(at);
  stream.put(changed);
}

}  // namespace

TEST_CASE("a preset is written once and found again", "[models]") {
  const tests::TempFolder temp;
  const models::PresetOptions options{.cache_dir = temp.path() / "deep" / "cache"};
  const fs::path folder = models::ensure_preset("tiny", options);
  const auto file = folder / models::kDataFile;
  const auto before = inode(file);
  const auto written = fs::last_write_time(file);
  CHECK(models::ensure_preset("tiny", options) == folder);
  CHECK(inode(file) == before);
  CHECK(fs::last_write_time(file) == written);
  CHECK(folder == models::preset_folder("tiny", options));
}

TEST_CASE("a damaged preset is written again", "[models]") {
  const tests::TempFolder temp;
  const models::PresetOptions options{.cache_dir = temp.path()};
  const auto& spec = models::find_preset("tiny-glm").spec;
  const fs::path folder = models::ensure_preset("tiny-glm", options);
  const auto size = static_cast<std::int64_t>(fs::file_size(folder / models::kDataFile));
  const std::function<void()> damages[] = {
      [&] { fs::resize_file(folder / models::kDataFile, static_cast<std::uintmax_t>(size / 2)); },
      [&] { change_byte(folder / models::kDataFile, 0); },
      [&] { change_byte(folder / models::kDataFile, size - 1); },
      [&] { change_byte(folder / models::kModelFile, 200); },
      [&] { fs::remove(folder / models::kDataFile); },
      [&] { fs::remove(folder / "genai_config.json"); },
      [&] { fs::resize_file(folder / models::kModelFile, 0); },
  };
  for (const auto& damage : damages) {
    damage();
    CHECK(models::find_damage(spec, folder, 1).has_value());
    CHECK(models::ensure_preset("tiny-glm", options) == folder);
    CHECK_FALSE(models::find_damage(spec, folder, 1).has_value());
  }
}

TEST_CASE("other layers and other seeds live in other folders", "[models]") {
  const tests::TempFolder temp;
  models::PresetOptions options{.cache_dir = temp.path()};
  const auto plain = models::ensure_preset("tiny-glm", options);
  options.seed = 2;
  const auto seeded = models::ensure_preset("tiny-glm", options);
  options.layers = 1;
  const auto cut = models::ensure_preset("tiny-glm", options);
  CHECK(plain != seeded);
  CHECK(seeded != cut);
  CHECK(fs::file_size(cut / models::kDataFile) < fs::file_size(plain / models::kDataFile));
}

TEST_CASE("the cache folder is GONOGO_CACHE, then XDG_CACHE_HOME/gonogo, then HOME/.cache/gonogo", "[models]") {
  const auto restore = [](const char* name, const char* value) {
    if (value != nullptr)
      ::setenv(name, value, 1);
    else
      ::unsetenv(name);
  };
  const char* names[] = {"GONOGO_CACHE", "XDG_CACHE_HOME", "HOME"};
  std::string saved[3];
  bool set[3];
  for (int i = 0; i < 3; ++i) {
    const char* value = std::getenv(names[i]);
    set[i] = value != nullptr;
    if (set[i]) saved[i] = value;
  }
  ::setenv("GONOGO_CACHE", "/a", 1);
  ::setenv("XDG_CACHE_HOME", "/b", 1);
  ::setenv("HOME", "/c", 1);
  CHECK(models::default_cache_dir() == "/a");
  ::setenv("GONOGO_CACHE", "", 1);
  CHECK(models::default_cache_dir() == "/b/gonogo");
  ::unsetenv("XDG_CACHE_HOME");
  CHECK(models::default_cache_dir() == "/c/.cache/gonogo");
  ::unsetenv("HOME");
  CHECK_THROWS_AS(models::default_cache_dir(), core::EnvironmentError);
  for (int i = 0; i < 3; ++i) restore(names[i], set[i] ? saved[i].c_str() : nullptr);
}

TEST_CASE("an unknown preset names the known ones, impossible layers name the rule", "[models]") {
  const tests::TempFolder temp;
  std::string message;
  try {
    models::ensure_preset("tinny", {.cache_dir = temp.path()});
  } catch (const core::UsageError& error) {
    message = error.what();
  }
  for (const models::Preset& preset : models::presets()) CHECK(message.find(preset.name) != std::string::npos);
  CHECK_THROWS_AS(models::ensure_preset("tiny", {.layers = 0, .cache_dir = temp.path()}), core::UsageError);
  CHECK(tests::entries_in(temp.path()) == 0);
}
