// What a user sees: greedy decode of a fresh prompt, steady tokens per second over a window after a skip.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probes/figures.hpp"
#include "probes/subject.hpp"

namespace gonogo::probes {

struct E2eOptions {
  std::int64_t tokens = 128;  // decode steps asked for
  std::int64_t skip = 8;      // leading steps left out of the window
  std::int64_t prompt = 16;   // seeded ids
  std::uint64_t seed = 1;
};

struct E2eResult {
  std::string stack;
  record::Status status = record::Status::unmeasured;
  std::string reason = "not measured";
  std::int64_t prompt = 0;
  std::int64_t tokens_asked = 0;
  std::int64_t skip = 0;
  engine::ForwardTimes prefill;
  std::vector<std::int64_t> ids;            // tokens generated, counted by the steps that made them
  std::vector<engine::ForwardTimes> steps;  // one per generated token
  std::vector<engine::StepKind> kinds;

  /// Steps in the window.
  [[nodiscard]] std::int64_t window() const;
  /// Tokens of the window / its wall; unmeasured when the window has fewer than two tokens.
  [[nodiscard]] Figure tok_per_s() const;
};

/// A fresh session in; greedy, captured. Throws UsageError when prompt and tokens do not fit in the context, or for a
/// negative count. An interrupt leaves status unmeasured and the steps so far.
[[nodiscard]] E2eResult measure_e2e(const Subject& subject, const E2eOptions& options, const Monitor& monitor);

[[nodiscard]] record::Json to_json(const E2eResult& result);
[[nodiscard]] Metrics metrics(const E2eResult& result);
[[nodiscard]] record::Row row(const E2eResult& result);

}  // namespace gonogo::probes
