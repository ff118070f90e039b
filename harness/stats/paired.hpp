// Paired measurements: base and candidate next to each other in one block, and the log of their ratio as the datum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/stats/bootstrap.hpp"
#include "harness/stats/sign_flip.hpp"

namespace gonogo::stats {

/// log(candidate / base): symmetric, so that a slow-down and the speed-up that undoes it weigh the same. nullopt unless
/// both are positive and finite.
[[nodiscard]] std::optional<double> log_ratio(double base, double candidate);
/// Block by block; nullopt when any block has none. Throws LogicError for lists of different lengths.
[[nodiscard]] std::optional<std::vector<double>> log_ratios(std::span<const double> base,
                                                            std::span<const double> candidate);

/// Which arm went first in each block. A steady drift moves the two orders in opposite directions, so the blocks of one
/// order are a stratum: the estimate is the mean of the strata's means, and their difference is no noise.
struct PairedSample {
  std::span<const double> log_ratios;
  std::span<const std::uint8_t> order = {};  // 0 or 1 a block; empty: one stratum
};

struct PairedSummary {
  std::size_t n = 0;
  std::optional<double> mean;    // over strata, equally weighted
  std::optional<double> median;  // of all blocks
  std::optional<double> stddev;  // of a block about its stratum's mean, pooled; nullopt without a second in any stratum
  std::optional<double> order_effect;  // half the difference of the strata's means: what going second costs
};
[[nodiscard]] PairedSummary summarize_pairs(const PairedSample& sample);

enum class Center { mean, median };

struct PairedIntervalOptions {
  Center center = Center::mean;
  double confidence = 0.95;
  std::size_t resamples = 4000;
  std::uint64_t seed = 1;
};

/// Order-stratified percentile bootstrap with the tails widened for small samples (Hesterberg's expanded percentiles:
/// the plain percentile interval of 8 blocks in two orders holds the truth in 86 % of cases, not 95 %). Blocks are
/// drawn within their stratum. nullopt below kFewestForInterval blocks, or with one block in a stratum. The same
/// sample, options and seed give the same interval on every machine.
[[nodiscard]] std::optional<Interval> paired_interval(const PairedSample& sample,
                                                      const PairedIntervalOptions& options = {});

}  // namespace gonogo::stats
