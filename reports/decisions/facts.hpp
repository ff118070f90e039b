// What a decision rests on and what can move under it: commit, levers, kernels chosen, the width-1 median.
#pragma once

#include <string>
#include <vector>

#include "reports/arc/metrics.hpp"

namespace gonogo::reports {

/// date, device, model, weights_hash, git_sha, git_dirty, levers, dispatch (width -> "op kernel xN"...), decode_ms
/// (metric
/// -> median) of one stack of a record.
[[nodiscard]] Json facts_of(const Json& record, const std::string& stack);

/// Every fact that moved from `then` to `now`, in words; a median moved when it changed by more than `tolerance`
/// (0.05: 5 %) either way. A different device or model is no move but another question: `comparable` says whether both
/// are of one.
[[nodiscard]] std::vector<std::string> moved(const Json& then, const Json& now, double tolerance);
[[nodiscard]] bool comparable(const Json& then, const Json& now);

}  // namespace gonogo::reports
