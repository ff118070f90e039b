#include "harness/stats/rank_sum.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "harness/stats/distributions.hpp"
#include "harness/stats/finite.hpp"
#include "harness/stats/summary.hpp"

namespace gonogo::stats {
namespace {

// P(U <= u) for every u without ties: the number of ways is the Gaussian binomial coefficient, built one factor
// (1 - q^(m + i)) / (1 - q^i) at a time. Counts stay exact in a double up to 2^53 and lose only rounding beyond.
std::vector<double> u_distribution(std::size_t n, std::size_t m) {
  std::vector<double> ways(n * m + 1, 0.0);
  ways[0] = 1;
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t u = ways.size(); u-- > m + i;) ways[u] -= ways[u - m - i];
    for (std::size_t u = i; u < ways.size(); ++u) ways[u] += ways[u - i];
  }
  double total = 0;
  for (const double way : ways) total += way;
  double below = 0;
  for (double& way : ways) way = (below += way) / total;
  return ways;
}

struct Ranks {
  double u = 0;
  double tie_term = 0;  // sum over groups of equal values of t^3 - t
};

Ranks rank_both(std::span<const double> base, std::span<const double> candidate) {
  std::vector<std::pair<double, int>> all;
  all.reserve(base.size() + candidate.size());
  for (const double value : base) all.emplace_back(value, 0);
  for (const double value : candidate) all.emplace_back(value, 1);
  std::sort(all.begin(), all.end());
  Ranks ranks;
  double rank_total = 0;
  for (std::size_t first = 0; first < all.size();) {
    std::size_t last = first;
    while (last < all.size() && all[last].first == all[first].first) ++last;
    const double shared = static_cast<double>(first + 1 + last) / 2;  // ranks first + 1 to last, averaged
    for (std::size_t i = first; i < last; ++i)
      if (all[i].second == 1) rank_total += shared;
    const double tied = static_cast<double>(last - first);
    ranks.tie_term += tied * tied * tied - tied;
    first = last;
  }
  const double m = static_cast<double>(candidate.size());
  ranks.u = rank_total - m * (m + 1) / 2;
  return ranks;
}

double exact_p(double u, std::span<const double> cumulative, Alternative alternative) {
  const auto at = static_cast<std::size_t>(u);
  const double at_most = cumulative[at];
  const double at_least = cumulative[cumulative.size() - 1 - at];  // symmetric about n m / 2
  if (alternative == Alternative::greater) return at_least;
  if (alternative == Alternative::less) return at_most;
  return std::min(1.0, 2 * std::min(at_most, at_least));
}

double normal_deviation(double n, double m, double tie_term) {
  const double all = n + m;
  return std::sqrt(n * m / 12 * (all + 1 - tie_term / (all * (all - 1))));
}

double normal_p(double shift, double deviation, Alternative alternative) {
  if (!(deviation > 0)) return 1;
  const auto upper_tail = [&](double beyond) { return normal_cdf(-(beyond - 0.5) / deviation); };
  if (alternative == Alternative::greater) return upper_tail(shift);
  if (alternative == Alternative::less) return upper_tail(-shift);
  return std::min(1.0, 2 * upper_tail(std::abs(shift)));
}

// C(n + m, n), below 2^47 for all that is counted exactly; each step divides evenly.
std::uint64_t arrangements(std::size_t n, std::size_t m) {
  std::uint64_t ways = 1;
  for (std::size_t i = 1; i <= n; ++i) ways = ways * (m + i) / i;
  return ways;
}

bool counts_exactly(std::size_t n, std::size_t m) { return n <= kMostExactRanks && m <= kMostExactRanks; }

// The largest number of pairwise differences that may be cut from each end while P(U < cut) stays within `tail`; 0 when
// not even the extremes reach it.
std::size_t cut_of(std::size_t n, std::size_t m, double tail) {
  if (!counts_exactly(n, m)) {
    const double a = static_cast<double>(n), b = static_cast<double>(m);
    const double cut = a * b / 2 + 0.5 + *normal_quantile(tail) * normal_deviation(a, b, 0);
    return cut < 1 ? 0 : static_cast<std::size_t>(cut);
  }
  const auto cumulative = u_distribution(n, m);
  std::size_t cut = 0;
  while (cut < cumulative.size() && cumulative[cut] <= tail) ++cut;
  return cut;
}

std::optional<std::vector<double>> logs_of(std::span<const double> values) {
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double value : values) {
    if (!(value > 0)) return std::nullopt;
    logs.push_back(std::log(value));
  }
  return logs;
}

}  // namespace

std::optional<RankSum> rank_sum(std::span<const double> base, std::span<const double> candidate,
                                Alternative alternative) {
  expect_finite(base);
  expect_finite(candidate);
  if (base.empty() || candidate.empty()) return std::nullopt;
  const Ranks ranks = rank_both(base, candidate);
  RankSum result{.u = ranks.u, .value = {}, .ties = ranks.tie_term > 0};
  const auto n = static_cast<double>(base.size()), m = static_cast<double>(candidate.size());
  if (!result.ties && counts_exactly(base.size(), candidate.size())) {
    result.value.p = exact_p(ranks.u, u_distribution(base.size(), candidate.size()), alternative);
    result.value.arrangements = arrangements(base.size(), candidate.size());
  } else {
    result.value.p = normal_p(ranks.u - n * m / 2, normal_deviation(n, m, ranks.tie_term), alternative);
    result.value.method = PMethod::normal;
  }
  return result;
}

double smallest_rank_sum_p(std::size_t base, std::size_t candidate, Alternative alternative) {
  if (base == 0 || candidate == 0) return 1;
  if (!counts_exactly(base, candidate)) {
    const auto n = static_cast<double>(base), m = static_cast<double>(candidate);
    return normal_p(n * m / 2, normal_deviation(n, m, 0),
                    alternative == Alternative::less ? Alternative::greater : alternative);
  }
  const double one_sided = u_distribution(base, candidate).front();
  return alternative == Alternative::different ? std::min(1.0, 2 * one_sided) : one_sided;
}

std::optional<UnpairedRatio> unpaired_log_ratio(std::span<const double> base, std::span<const double> candidate,
                                                double confidence) {
  GONOGO_EXPECT(confidence > 0 && confidence < 1, fmt::format("confidence {}", confidence));
  expect_finite(base);
  expect_finite(candidate);
  if (base.empty() || candidate.empty()) return std::nullopt;
  const auto base_logs = logs_of(base), candidate_logs = logs_of(candidate);
  if (!base_logs || !candidate_logs) return std::nullopt;
  std::vector<double> ratios;
  ratios.reserve(base.size() * candidate.size());
  for (const double above : *candidate_logs)
    for (const double below : *base_logs) ratios.push_back(above - below);
  std::sort(ratios.begin(), ratios.end());
  UnpairedRatio result{.estimate = *median(ratios), .interval = std::nullopt};
  const std::size_t cut = cut_of(base.size(), candidate.size(), (1 - confidence) / 2);
  if (cut > 0) result.interval = Interval{ratios[cut - 1], ratios[ratios.size() - cut]};
  return result;
}

}  // namespace gonogo::stats
