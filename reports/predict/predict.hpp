// Would speculative decoding pay? From the measured cost of a verify over M rows and from how many drafted tokens are
// accepted to the speed-up, the draft length to use and the acceptance at which it breaks even.
// With k drafted tokens a verify has width M = k + 1; all costs are in units of a width-1 decode step.
//   S = (p A + (1 - p)) / (p (B(k+1) + d) + (1 - p) (1 + d0))
// A: tokens committed by a verify on average (accepted + 1), p: share of steps that draft, d: drafting and bookkeeping,
// d0: what looking for a draft in vain costs. With p = 1 it is S = A / (B + d), with B = 1 and d = c k it is the
// speed-up of Leviathan, Kalman and Matias, "Fast Inference from Transformers via Speculative Decoding" (2023),
// theorem 3.8.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/arc/metrics.hpp"
#include "reports/render/table.hpp"

namespace gonogo::reports {

struct WidthCost {
  std::int64_t m = 1;
  double cost = 1;  // B(m)
};
/// By m, from m = 1 with cost 1.
using CostCurve = std::vector<WidthCost>;

struct Cost {
  double value = 0;
  bool measured = false;  // else on the line between the measured widths around it
};
/// nullopt beyond the widest measured width: nothing is extrapolated.
[[nodiscard]] std::optional<Cost> cost_at(const CostCurve& curve, std::int64_t m);

/// Accepted tokens: a rate per token, independent of each other, or counts of verifies that accepted 0, 1, 2... tokens.
struct Acceptance {
  std::optional<double> rate;           // 0 to 1
  std::vector<std::int64_t> histogram;  // of verifies that drafted histogram.size() - 1 tokens
};

struct Committed {
  double mean = 1;
  std::optional<double> half_width;  // of a 95 % interval of the mean; only from a histogram of two verifies or more
};
/// Tokens committed by a verify of k drafted tokens: (1 - a^(k+1)) / (1 - a), or 1 + mean of min(accepted, k). nullopt
/// where the histogram does not reach: its verifies drafted fewer.
[[nodiscard]] std::optional<Committed> committed(const Acceptance& acceptance, std::int64_t k);

struct Overheads {
  double engaged = 1;    // p, above 0
  double per_token = 0;  // of a draft
  double per_verify = 0;
  double idle = 0;  // d0
};

/// S as above.
[[nodiscard]] double speed_up(double committed, double cost, std::int64_t k, const Overheads& overheads);
/// The A at which S is 1.
[[nodiscard]] double break_even_committed(double cost, std::int64_t k, const Overheads& overheads);
/// The rate at which a verify of k drafted tokens commits `wanted` on average; nullopt above k + 1, which no rate
/// reaches.
[[nodiscard]] std::optional<double> rate_for(double wanted, std::int64_t k);

struct Prediction {
  std::int64_t k = 0;
  Cost cost;
  Committed committed;
  double speed_up = 1;
  std::optional<double> speed_up_low, speed_up_high;
  double break_even = 1;                  // A
  std::optional<double> break_even_rate;  // a; absent: no acceptance makes it pay
};

struct Forecast {
  std::string stack, past, curve_name;  // "bstar.verify"
  std::optional<double> decode_ms;      // width 1, of the same kind
  std::vector<Prediction> rows;         // k = 1...
  std::int64_t best = 0;                // k*; 0: decoding without a draft is as fast or faster
  std::vector<std::string> notes;
};

/// Throws core::UsageError when no k is both on the curve and in the histogram.
[[nodiscard]] Forecast forecast(const CostCurve& curve, const Acceptance& acceptance, const Overheads& overheads);

/// The curve of one stack: base "bstar.verify" or "bstar.replay". An empty stack: "latest", else the only one; an empty
/// past: the largest. Throws core::UsageError for a stack or past that is not there, core::InputError for a record
/// without a curve.
struct CurveSource {
  std::string file, stack, past, base = "bstar.verify";
};
struct ReadCurve {
  CostCurve curve;
  std::string stack, past;
  std::optional<double> decode_ms;
};
[[nodiscard]] ReadCurve read_curve(const Json& record, const CurveSource& source);

[[nodiscard]] Table to_table(const Forecast& forecast);
[[nodiscard]] Json to_json(const Forecast& forecast);
/// One sentence: k* and the speed-up, or that drafting does not pay.
[[nodiscard]] std::string headline(const Forecast& forecast);

}  // namespace gonogo::reports
