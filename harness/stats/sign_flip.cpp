#include "harness/stats/sign_flip.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <random>
#include <vector>

#include "harness/stats/finite.hpp"

namespace gonogo::stats {
namespace {

constexpr int kBits = 44;  // 2^18 differences of 44 bits stay within an int64

void check(std::size_t n, const SignFlipOptions& options) {
  GONOGO_EXPECT(options.most_exact <= 40, fmt::format("most_exact {}", options.most_exact));
  GONOGO_EXPECT(options.draws >= 100, fmt::format("{} draws", options.draws));
  GONOGO_EXPECT(n < (std::size_t{1} << 18), fmt::format("{} differences", n));
}

// On a grid of 2^-44 of the largest absolute value.
std::vector<std::int64_t> on_grid(std::span<const double> differences) {
  double largest = 0;
  for (const double value : differences) largest = std::max(largest, std::abs(value));
  int exponent = 0;
  std::frexp(largest, &exponent);
  std::vector<std::int64_t> grid;
  grid.reserve(differences.size());
  for (const double value : differences) grid.push_back(std::llround(std::ldexp(value, kBits - exponent)));
  return grid;
}

// Every sum of +-values, ascending: adding one value merges two ascending lists.
std::vector<std::int64_t> sorted_sums(std::span<const std::int64_t> values) {
  std::vector<std::int64_t> sums{0}, lower, upper, merged;
  for (const std::int64_t value : values) {
    const std::int64_t step = std::abs(value);
    lower = sums;
    upper = sums;
    for (auto& sum : lower) sum -= step;
    for (auto& sum : upper) sum += step;
    merged.clear();
    std::merge(lower.begin(), lower.end(), upper.begin(), upper.end(), std::back_inserter(merged));
    sums.swap(merged);
  }
  return sums;
}

// How many sign patterns have a sum of at least `bound`.
std::uint64_t count_at_least(std::span<const std::int64_t> values, std::int64_t bound) {
  const auto left = sorted_sums(values.first(values.size() / 2));
  const auto right = sorted_sums(values.subspan(values.size() / 2));
  std::uint64_t count = 0;
  std::size_t fitting = 0;  // of `right`, from its end: those that reach the bound together with the current left sum
  for (const std::int64_t sum : left) {
    while (fitting < right.size() && sum + right[right.size() - 1 - fitting] >= bound) ++fitting;
    count += fitting;
  }
  return count;
}

PValue exact(std::span<const std::int64_t> values, std::int64_t observed, Alternative alternative) {
  const std::uint64_t patterns = std::uint64_t{1} << values.size();
  const std::int64_t bound = alternative == Alternative::less ? -observed : observed;
  std::uint64_t extreme = 0;
  if (alternative != Alternative::different)
    extreme = count_at_least(values, bound);  // the sums are symmetric: at most -s as often as at least s
  else
    extreme = observed == 0 ? patterns : 2 * count_at_least(values, std::abs(observed));
  return {static_cast<double>(extreme) / static_cast<double>(patterns), PMethod::exact, patterns};
}

bool as_extreme(std::int64_t sum, std::int64_t observed, Alternative alternative) {
  switch (alternative) {
    case Alternative::greater:
      return sum >= observed;
    case Alternative::less:
      return sum <= observed;
    case Alternative::different:
      break;
  }
  return std::abs(sum) >= std::abs(observed);
}

PValue monte_carlo(std::span<const std::int64_t> values, std::int64_t observed, const SignFlipOptions& options) {
  std::mt19937_64 random(options.seed);
  std::uint64_t extreme = 0;
  for (std::uint64_t draw = 0; draw < options.draws; ++draw) {
    std::int64_t sum = 0;
    std::uint64_t signs = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i % 64 == 0) signs = random();
      sum += (signs & 1) != 0 ? values[i] : -values[i];
      signs >>= 1;
    }
    if (as_extreme(sum, observed, options.alternative)) ++extreme;
  }
  const double p = static_cast<double>(1 + extreme) / static_cast<double>(1 + options.draws);
  return {p, PMethod::monte_carlo, options.draws};
}

}  // namespace

std::string_view name_of(PMethod method) {
  switch (method) {
    case PMethod::exact:
      return "exact";
    case PMethod::monte_carlo:
      return "monte_carlo";
    case PMethod::normal:
      break;
  }
  return "normal";
}

std::optional<PValue> sign_flip(std::span<const double> differences, const SignFlipOptions& options) {
  check(differences.size(), options);
  expect_finite(differences);
  if (differences.empty()) return std::nullopt;
  const auto values = on_grid(differences);
  std::int64_t observed = 0;
  for (const std::int64_t value : values) observed += value;
  if (values.size() <= options.most_exact) return exact(values, observed, options.alternative);
  return monte_carlo(values, observed, options);
}

double smallest_sign_flip_p(std::size_t n, const SignFlipOptions& options) {
  check(n, options);
  if (n == 0) return 1;
  const double sides = options.alternative == Alternative::different ? 2 : 1;
  const double exact_p = sides * std::ldexp(1.0, -static_cast<int>(std::min<std::size_t>(n, 1000)));
  if (n <= options.most_exact) return exact_p;
  return std::max(exact_p, 1.0 / static_cast<double>(1 + options.draws));
}

}  // namespace gonogo::stats
