// The decisions folder: inbox/*.md (one drop each), decisions.md (the ledger), archive/*.md, evidence/, gates/.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reports/decisions/drop.hpp"
#include "reports/gates/gate.hpp"

namespace gonogo::reports {

enum class Place { inbox, ledger, archive };

struct StoredDrop {
  PlacedDrop placed;
  Place place = Place::inbox;
  std::string path;  // relative to the folder: "inbox/2026-12-01-x.md"
};

struct Store {
  std::filesystem::path folder;
  std::vector<StoredDrop> drops;
  std::string ledger_rest;  // what stands in decisions.md beside drops and index
  [[nodiscard]] const StoredDrop* find(const std::string& id) const;  // in the inbox, then the ledger, then the archive
};

/// Reads all of it; folders and files that are not there are empty. README.md files are no drops. Throws
/// core::InputError as parse_drops, for an inbox file with text outside its drop, and for a folder that cannot be read.
[[nodiscard]] Store read_store(const std::filesystem::path& folder);

/// The folder's gates where it has any, else those shipped with the program.
[[nodiscard]] std::vector<Gate> gates_of(const std::filesystem::path& folder);

/// Drops that retract or supersede `id`, by id.
struct Successors {
  std::vector<std::string> retracted_by, superseded_by;
};
[[nodiscard]] Successors successors(const Store& store, const std::string& id);

/// The ledger's table of all decisions stands between these lines and is written anew by consolidate.
inline constexpr const char* kIndexOpen = "<!-- gonogo:index -->";
inline constexpr const char* kIndexEnd = "<!-- gonogo:end-index -->";

}  // namespace gonogo::reports
