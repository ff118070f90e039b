#include "harness/stats/binomial.hpp"

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/stats/distributions.hpp"

namespace gonogo::stats {
namespace {

void check(std::uint64_t successes, std::uint64_t trials, double confidence) {
  GONOGO_EXPECT(successes <= trials, fmt::format("{} successes of {} trials", successes, trials));
  GONOGO_EXPECT(confidence > 0 && confidence < 1, fmt::format("confidence {}", confidence));
}

}  // namespace

std::optional<double> rate_at_most(std::uint64_t successes, std::uint64_t trials, double confidence) {
  check(successes, trials, confidence);
  if (trials == 0) return std::nullopt;
  if (successes == trials) return 1.0;
  return beta_quantile(static_cast<double>(successes) + 1, static_cast<double>(trials - successes), confidence);
}

std::optional<double> rate_at_least(std::uint64_t successes, std::uint64_t trials, double confidence) {
  check(successes, trials, confidence);
  if (trials == 0) return std::nullopt;
  if (successes == 0) return 0.0;
  return beta_quantile(static_cast<double>(successes), static_cast<double>(trials - successes) + 1, 1 - confidence);
}

std::optional<Interval> clopper_pearson(std::uint64_t successes, std::uint64_t trials, double confidence) {
  check(successes, trials, confidence);
  const double one_sided = (1 + confidence) / 2;
  const auto low = rate_at_least(successes, trials, one_sided), high = rate_at_most(successes, trials, one_sided);
  if (!low || !high) return std::nullopt;
  return Interval{*low, *high};
}

}  // namespace gonogo::stats
