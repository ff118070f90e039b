#include "reports/decisions/store.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "harness/core/error.hpp"
#include "harness/record/strict_json.hpp"

namespace gonogo::reports {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> markdown_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code code;
  if (!fs::exists(folder, code)) return files;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code))
    if (entry->path().extension() == ".md" && entry->path().filename() != "README.md") files.push_back(entry->path());
  if (code) throw core::InputError({folder.string(), "", "the folder cannot be read: " + code.message(), ""});
  std::sort(files.begin(), files.end());
  return files;
}

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r\n") == std::string::npos; }

std::string without_index(std::string text, const std::string& file) {
  const std::string open = fmt::format("{}\n", kIndexOpen), end = fmt::format("{}\n", kIndexEnd);
  const auto from = text.find(open);
  if (from == std::string::npos) return text;
  const auto to = text.find(end, from);
  if (to == std::string::npos)
    throw core::InputError({file, "", fmt::format("the index has no end: {} is missing", kIndexEnd), ""});
  return text.erase(from, to + end.size() - from);
}

}  // namespace

Store read_store(const fs::path& folder) {
  Store store{.folder = folder, .drops = {}, .ledger_rest = ""};
  const auto add = [&](ParsedDrops parsed, Place place, const fs::path& file) {
    for (PlacedDrop& one : parsed.drops)
      store.drops.push_back({std::move(one), place, fs::path(file).lexically_relative(folder).generic_string()});
    return parsed.rest;
  };
  for (const auto& file : markdown_files(folder / "inbox")) {
    const auto rest = add(parse_drops(record::read_text(file), file.string()), Place::inbox, file);
    if (!is_blank(rest))
      throw core::InputError({file.string(), "", "text outside of the decision would be lost",
                              "move it under the decision's \"### Notes\""});
  }
  const auto ledger = folder / "decisions.md";
  if (std::error_code ignored; fs::exists(ledger, ignored))
    store.ledger_rest = add(parse_drops(without_index(record::read_text(ledger), ledger.string()), ledger.string()),
                            Place::ledger, ledger);
  for (const auto& file : markdown_files(folder / "archive"))
    (void)add(parse_drops(record::read_text(file), file.string()), Place::archive, file);
  return store;
}

const StoredDrop* Store::find(const std::string& id) const {
  for (const StoredDrop& one : drops)
    if (one.placed.id == id) return &one;
  return nullptr;
}

std::vector<Gate> gates_of(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "gates", ignored) ? load_gates(folder / "gates") : shipped_gates();
}

Successors successors(const Store& store, const std::string& id) {
  Successors result;
  const auto names = [&](const StoredDrop& one, const char* key) {
    const Json& list = one.placed.drop.front.at(key);
    return std::find(list.begin(), list.end(), id) != list.end();
  };
  const auto add = [](std::vector<std::string>& to, const std::string& other) {
    if (std::find(to.begin(), to.end(), other) == to.end()) to.push_back(other);
  };
  for (const StoredDrop& one : store.drops) {
    if (names(one, "retracts")) add(result.retracted_by, one.placed.id);
    if (names(one, "supersedes")) add(result.superseded_by, one.placed.id);
  }
  return result;
}

}  // namespace gonogo::reports
