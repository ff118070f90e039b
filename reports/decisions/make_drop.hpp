// From records and gates to a drop.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reports/decisions/drop.hpp"
#include "reports/gates/gate.hpp"

namespace gonogo::reports {

struct Evidence {
  std::string path;    // as the drop names it, relative to the decisions folder
  std::string sha256;  // of the file
  Json record;
};

struct DropRequest {
  std::string id, date;  // YYYY-MM-DD
  std::string question, by;
  std::string stack;  // empty: as `gonogo verdict` chooses
  std::vector<std::string> caveats, supersedes, retracts;
  std::string why;           // of supersedes and retracts
  bool allow_dirty = false;  // a build from a dirty or unknown tree becomes a caveat instead of a refusal
};

/// `runs` oldest first; the last one is judged, the others stand beside it as the arc. Throws core::InputError for a
/// gate frozen after the run, or edited since the run was judged by it, and core::EnvironmentError for evidence from a
/// dirty or unknown tree, or of unlike runs.
[[nodiscard]] Drop make_drop(const DropRequest& request, const std::vector<Evidence>& runs,
                             const std::map<std::string, Evidence>& baselines, const std::vector<Gate>& gates);

/// Per gate, what value would turn its outcome; for what is not measured, how to measure it.
[[nodiscard]] std::vector<std::string> would_change(const Json& gates);

}  // namespace gonogo::reports
