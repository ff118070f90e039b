#include "reports/commands/decisions_named.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "harness/core/error.hpp"
#include "harness/record/strict_json.hpp"

namespace gonogo::reports {
namespace {

namespace fs = std::filesystem;

void add_file(std::vector<PlacedDrop>& found, const fs::path& file) {
  auto parsed = parse_drops(record::read_text(file), file.string());
  if (parsed.drops.empty()) throw core::InputError({file.string(), "", "the file holds no decision", ""});
  for (PlacedDrop& one : parsed.drops) found.push_back(std::move(one));
}

}  // namespace

std::vector<PlacedDrop> decisions_named(const std::vector<std::string>& words, const Store& store) {
  std::vector<PlacedDrop> found;
  for (const auto& word : words) {
    std::error_code ignored;
    if (const StoredDrop* stored = store.find(word)) {
      found.push_back(stored->placed);
    } else if (fs::is_directory(word, ignored)) {
      std::vector<fs::path> files;
      for (const auto& entry : fs::directory_iterator(word))
        if (entry.path().extension() == ".md" && entry.path().filename() != "README.md") files.push_back(entry.path());
      std::sort(files.begin(), files.end());
      if (files.empty()) throw core::InputError({word, "", "the folder holds no decision (*.md)", ""});
      for (const auto& file : files) add_file(found, file);
    } else if (fs::exists(word, ignored)) {
      add_file(found, word);
    } else {
      throw core::UsageError(
          fmt::format("'{}' is no decision in {}, no file and no folder", word, store.folder.string()));
    }
  }
  return found;
}

}  // namespace gonogo::reports
