// Is the output right? Captured against eager, wide against narrow, stack against stack. A timing counts only when this
// held in the same run. Source: docs/measuring.md, "Parity".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probes/figures.hpp"
#include "probes/greedy_parity.hpp"
#include "probes/subject.hpp"

namespace gonogo::probes {

struct ParityOptions {
  std::vector<std::int64_t> m_list = {1, 8};
  std::int64_t past = 40;
  std::int64_t prompt = 16;
  std::int64_t greedy_tokens = 48;
  std::uint64_t seed = 1;
  /// Stated bound between stacks, as a share of the largest |logit|; unset: by the model's type, see
  /// stated_tolerance().
  std::optional<double> tolerance;
};

/// 1e-4 of the largest |logit| for float32 graphs, 2e-2 for float16 ones.
[[nodiscard]] double stated_tolerance(const engine::ModelFacts& model);

/// One width: bitwise where the rule says so.
struct WidthParity {
  std::int64_t m = 0;
  bool replayed = false;           // a replay was compared; else the captured mode never got that far
  std::string not_replayed;        // why
  bool captured_is_eager = false;  // all bits of the captured logits are those of the eager ones
  std::int64_t rows_differ = 0;    // rows that are not the width-1 row bit for bit
  std::int64_t first_row = -1;     // the first of them
  double worst = 0;                // largest |wide - narrow|
  double bound = 0;                // stated tolerance for it, absolute
};

struct ParityResult {
  std::string stack;
  std::string backend;
  record::Status status = record::Status::unmeasured;  // ok: carried out; failed: an exception
  std::string reason = "not measured";
  std::vector<WidthParity> widths;
  std::int64_t non_finite = 0;  // forwards with a NaN or an infinity in the logits
  std::string reference;        // stack of the eager reference stream
  std::optional<GreedyClass> greedy;
  std::vector<std::int64_t> greedy_ids;

  [[nodiscard]] bool captured_eager() const;
  /// Rows equal width-1 rows: bitwise on the cpu backend, within the stated tolerance elsewhere.
  [[nodiscard]] bool rows() const;
  /// Everything measured and right.
  [[nodiscard]] bool right() const { return why_wrong().empty(); }
  [[nodiscard]] std::string why_wrong() const;
};

/// The first subject's eager greedy stream is the reference of all, its own captured stream included.
[[nodiscard]] std::vector<ParityResult> measure_parity(Subjects subjects, const ParityOptions& options,
                                                       const Monitor& monitor);

[[nodiscard]] record::Json to_json(const ParityResult& result);
[[nodiscard]] Metrics metrics(const ParityResult& result);

/// Parity failed or is missing: every timing of the stack becomes invalid, with the reason. Counts and parity itself
/// stay.
void invalidate_timings(Metrics& metrics, const std::string& why);
void invalidate_rows(std::vector<record::Row>& rows, const std::string& stack, const std::string& why);

}  // namespace gonogo::probes
