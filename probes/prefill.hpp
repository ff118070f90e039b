// How fast a prompt is read: L ids into an empty cache, logits of the last position only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probes/figures.hpp"
#include "probes/subject.hpp"

namespace gonogo::probes {

struct PrefillOptions {
  std::vector<std::int64_t> lengths = {128, 512};
  int iters = 5;  // after one untimed run
  std::uint64_t seed = 1;
};

struct PrefillPoint {
  std::int64_t length = 0;
  record::Status status = record::Status::unmeasured;
  std::string reason = "not measured";
  std::vector<engine::ForwardTimes> samples;
};

struct PrefillResult {
  std::string stack;
  std::vector<PrefillPoint> points;
  bool complete = false;
  // Over the median walls: wall(L) = overhead + L / marginal rate.
  Figure ms_per_token, overhead_ms;
};

/// Subjects interleaved. Throws UsageError for an empty list, or a length below 1 or above the context.
[[nodiscard]] std::vector<PrefillResult> measure_prefill(Subjects subjects, const PrefillOptions& options,
                                                         const Monitor& monitor);

[[nodiscard]] record::Json to_json(const PrefillResult& result);
[[nodiscard]] Metrics metrics(const PrefillResult& result);
[[nodiscard]] std::vector<record::Row> rows(const PrefillResult& result);

}  // namespace gonogo::probes
