// Is a decision still current, and if not, why?
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/decisions/store.hpp"

namespace gonogo::reports {

enum class State { current, stale, superseded, retracted };
/// "CURRENT", "STALE"...
[[nodiscard]] std::string_view name_of(State state);

struct Status {
  State state = State::current;
  std::vector<std::string> reasons;
};

/// What a decision is held against. A newer run of the same device and model tells all that moved; without one only the
/// commit can be known to have moved.
struct Now {
  std::string git_sha;      // of what runs now; empty: not known
  std::vector<Json> runs;   // newer records to compare with; those of another device or model are passed over
  double tolerance = 0.05;  // of the M=1 median
  std::vector<Gate> gates;  // as they are now
};

/// Retraction outranks supersession, and that staleness.
[[nodiscard]] Status status_of(const Store& store, const PlacedDrop& placed, const Now& now);

/// Records in evidence/ that were measured after the decision's, newest last. Files of another kind are passed over.
[[nodiscard]] std::vector<Json> newer_evidence(const Store& store, const PlacedDrop& placed);

}  // namespace gonogo::reports
