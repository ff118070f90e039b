#include "probes/greedy_parity.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace gonogo::probes {
namespace {

void rerun(GreedyClass& result, std::span<const std::int64_t> reference, const DivergenceProbes& probes) {
  const auto length = static_cast<std::size_t>(result.position);
  int same_prefix = 0;
  for (; result.reruns < kReferenceReruns; ++result.reruns) {
    const auto ids = probes.rerun_reference();
    if (ids.size() <= length || !std::equal(ids.begin(), ids.begin() + result.position, reference.begin())) continue;
    ++same_prefix;
    if (ids[length] != result.reference_id) ++result.reruns_that_differ;
  }
  result.prefix_unstable = same_prefix == 0;
}

void judge(GreedyClass& result) {
  const auto& e = result.evidence;
  result.outcome = GreedyOutcome::near_tie;
  if (result.prefix_unstable) {
    result.reason = fmt::format("none of {} reruns of the reference reproduced its own prefix", result.reruns);
  } else if (result.reruns_that_differ > 0) {
    result.reason = fmt::format("{} of {} reruns of the reference chose another id there", result.reruns_that_differ,
                                result.reruns);
  } else if (e.delta <= e.tolerance && e.gap <= 2 * e.tolerance) {
    result.reason =
        fmt::format("top-1 and top-2 are {:.3g} apart; logits differ by {:.3g}, within the tolerance {:.3g}", e.gap,
                    e.delta, e.tolerance);
  } else {
    result.outcome = GreedyOutcome::regression;
    result.reason =
        fmt::format("the reference is stable, top-1 leads by {:.3g}, logits differ by {:.3g}, tolerance {:.3g}", e.gap,
                    e.delta, e.tolerance);
  }
}

}  // namespace

GreedyClass classify_greedy(std::span<const std::int64_t> reference, std::span<const std::int64_t> candidate,
                            const DivergenceProbes& probes) {
  GreedyClass result;
  const std::size_t common = std::min(reference.size(), candidate.size());
  const auto [at, other] =
      std::mismatch(reference.begin(), reference.begin() + static_cast<std::ptrdiff_t>(common), candidate.begin());
  const auto equal = at - reference.begin();
  if (static_cast<std::size_t>(equal) == common) {
    if (reference.size() == candidate.size()) return result;
    result.outcome = GreedyOutcome::length_mismatch;
    result.position = static_cast<std::int64_t>(common);
    result.reason = fmt::format("{} ids against {} of the reference", candidate.size(), reference.size());
    return result;
  }
  result.position = equal;
  result.reference_id = *at;
  result.candidate_id = *other;
  rerun(result, reference, probes);
  result.evidence = probes.evidence(result.position);
  judge(result);
  return result;
}

std::string_view name_of(GreedyOutcome outcome) {
  switch (outcome) {
    case GreedyOutcome::identical:
      return "identical";
    case GreedyOutcome::near_tie:
      return "near_tie";
    case GreedyOutcome::regression:
      return "regression";
    case GreedyOutcome::length_mismatch:
      break;
  }
  return "length_mismatch";
}

record::Json to_json(const GreedyClass& r) {
  record::Json json = {{"outcome", name_of(r.outcome)}, {"reason", r.reason}};
  if (r.position < 0) return json;
  json["position"] = r.position;
  if (r.outcome == GreedyOutcome::length_mismatch) return json;
  json["reference_id"] = r.reference_id;
  json["candidate_id"] = r.candidate_id;
  json["reruns"] = r.reruns;
  json["reruns_that_differ"] = r.reruns_that_differ;
  json["prefix_unstable"] = r.prefix_unstable;
  json["gap"] = r.evidence.gap;
  json["delta"] = r.evidence.delta;
  json["tolerance"] = r.evidence.tolerance;
  return json;
}

}  // namespace gonogo::probes
