// Two greedy streams that should be equal: identical, parted at a near tie, or a regression. Only the first divergence
// is judged: everything after it follows from it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/record/json.hpp"

namespace gonogo::probes {

enum class GreedyOutcome { identical, near_tie, regression, length_mismatch };

/// What the logits of both sides say at the first divergence, where their prefixes are still equal.
struct TieEvidence {
  double gap = 0;        // the reference's top-1 minus top-2 logit
  double delta = 0;      // largest |candidate - reference| over the vocabulary
  double tolerance = 0;  // stated bound of such a difference
};

struct GreedyClass {
  GreedyOutcome outcome = GreedyOutcome::identical;
  std::int64_t position = -1;  // of the first divergence
  std::int64_t reference_id = -1, candidate_id = -1;
  int reruns = 0;                // of the reference, only after a divergence
  int reruns_that_differ = 0;    // with the same prefix, another id at the position
  bool prefix_unstable = false;  // no rerun reproduced the prefix
  TieEvidence evidence;
  std::string reason;
  [[nodiscard]] bool right() const { return outcome == GreedyOutcome::identical || outcome == GreedyOutcome::near_tie; }
};

/// How a divergence is examined. Both are called only after one was found.
struct DivergenceProbes {
  std::function<std::vector<std::int64_t>()> rerun_reference;
  std::function<TieEvidence(std::int64_t position)> evidence;
};
inline constexpr int kReferenceReruns = 4;

/// A divergence is a near tie when the reference itself does not reproduce its id there, or when the logits of both
/// sides agree within the tolerance and the gap is at most twice it (two logits may move by one tolerance each, towards
/// each other).
[[nodiscard]] GreedyClass classify_greedy(std::span<const std::int64_t> reference,
                                          std::span<const std::int64_t> candidate, const DivergenceProbes& probes);

[[nodiscard]] std::string_view name_of(GreedyOutcome outcome);
[[nodiscard]] record::Json to_json(const GreedyClass& result);

}  // namespace gonogo::probes
