// Does the captured decode step stay captured? Many greedy width-1 steps across the growth of the KV cache.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probes/figures.hpp"
#include "probes/subject.hpp"

namespace gonogo::probes {

struct StabilityOptions {
  std::int64_t steps = 1000;
  std::int64_t prompt = 16;  // seeded ids; short, so that the steps cross the bucket edges
  std::uint64_t seed = 1;
};

struct StabilityResult {
  std::string stack;
  record::Status status = record::Status::unmeasured;
  std::string reason = "not measured";
  std::int64_t steps_asked = 0;
  std::int64_t prompt = 0;
  std::int64_t context = 0;
  engine::CaptureCounters counters;   // of these steps alone
  engine::CaptureCounters seen;       // the same, counted from what each step said it was; growths from the bucket
  std::vector<std::int64_t> buckets;  // in order of first use
  std::int64_t restarts = 0;    // rewinds to the prompt at the end of the context; buckets grow only before the first
  std::int64_t recaptures = 0;  // captures in a bucket that had been captured before: thrash
  std::int64_t non_finite = 0;  // steps with a non-finite logit
  std::vector<engine::ForwardTimes> times;  // every step
  std::vector<bool> replayed;               // per step

  [[nodiscard]] double replay_share() const;
  /// Empty when captures + replays + warm_ups == steps and the counters agree with what was seen; else what is wrong.
  [[nodiscard]] std::string broken_identity() const;
};

/// A fresh session in, `steps` captured steps out; each step feeds the id the one before chose. When the context is
/// full, the sequence restarts behind the prompt by a rewind. An interrupt leaves status unmeasured and the steps so
/// far.
[[nodiscard]] StabilityResult measure_stability(const Subject& subject, const StabilityOptions& options,
                                                const Monitor& monitor);

/// Throws ResultError when the identity is broken.
void require_identity(const StabilityResult& result);

[[nodiscard]] record::Json to_json(const StabilityResult& result);
[[nodiscard]] Metrics metrics(const StabilityResult& result);
[[nodiscard]] record::Row row(const StabilityResult& result);

}  // namespace gonogo::probes
