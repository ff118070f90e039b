#include <algorithm>
#include <cmath>
#include <numeric>

#include "reports/predict/predict.hpp"

namespace gonogo::reports {
namespace {

// 1 + a + ... + a^k: exact also where a is 1 or close to it.
double geometric(double a, std::int64_t k) {
  double sum = 1, power = 1;
  for (std::int64_t i = 1; i <= k; ++i) sum += power *= a;
  return sum;
}

Committed from_histogram(const std::vector<std::int64_t>& counts, std::int64_t k) {
  double n = 0, sum = 0, squares = 0;
  for (std::size_t j = 0; j < counts.size(); ++j) {
    const auto count = static_cast<double>(counts[j]);
    const auto accepted = static_cast<double>(std::min<std::int64_t>(static_cast<std::int64_t>(j), k));
    n += count;
    sum += count * accepted;
    squares += count * accepted * accepted;
  }
  const double mean = sum / n;
  Committed result{.mean = 1 + mean, .half_width = std::nullopt};
  if (n >= 2) result.half_width = 1.96 * std::sqrt(std::max(0.0, squares - n * mean * mean) / (n - 1) / n);
  return result;
}

}  // namespace

std::optional<Committed> committed(const Acceptance& acceptance, std::int64_t k) {
  if (acceptance.rate) return Committed{.mean = geometric(*acceptance.rate, k), .half_width = std::nullopt};
  const auto drafted = static_cast<std::int64_t>(acceptance.histogram.size()) - 1;
  if (k > drafted) return std::nullopt;
  return from_histogram(acceptance.histogram, k);
}

std::optional<double> rate_for(double wanted, std::int64_t k) {
  if (!(wanted <= static_cast<double>(k + 1))) return std::nullopt;
  if (wanted <= 1) return 0.0;
  double low = 0, high = 1;  // the sum grows with the rate
  for (int i = 0; i < 80; ++i) {
    const double middle = std::midpoint(low, high);
    (geometric(middle, k) < wanted ? low : high) = middle;
  }
  return high;
}

}  // namespace gonogo::reports
