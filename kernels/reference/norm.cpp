#include "kernels/reference/norm.hpp"

#include <cmath>
#include <random>

namespace gonogo::kernels::reference {

norm::Args NormCase::args() const {
  norm::Args args;
  const auto pointer = [](const std::vector<float>& v) { return v.empty() ? nullptr : v.data(); };
  args.x = pointer(x);
  args.skip = pointer(skip);
  args.skip_rows = static_cast<std::int64_t>(skip.size()) / problem.width;
  args.skip_bias = pointer(skip_bias);
  args.gamma = pointer(gamma);
  args.beta = pointer(beta);
  return args;
}

NormCase norm_case(const norm::Problem& problem, bool skip, std::uint64_t seed) {
  NormCase c;
  c.problem = problem;
  std::mt19937_64 engine(seed);
  const auto fill = [&](std::vector<float>& v, std::int64_t count, float centre) {
    v.resize(static_cast<std::size_t>(count));
    for (float& value : v) value = centre + static_cast<float>(engine() >> 40) * 0x1p-23f - 1.0f;
  };
  fill(c.x, problem.rows * problem.width, 0.25f);
  fill(c.gamma, problem.width, 1.5f);
  if (problem.kind == norm::Kind::layer) fill(c.beta, problem.width, 0.0f);
  if (skip) {
    fill(c.skip, problem.rows * problem.width, 0.0f);
    fill(c.skip_bias, problem.width, 0.0f);
  }
  return c;
}

NormExpected norm_expected(const NormCase& c) {
  constexpr double kU = 0x1p-24;
  const auto width = static_cast<std::size_t>(c.problem.width);
  const auto n = static_cast<double>(width);
  const double terms = n / 4 + 12;
  const double g = terms * kU / (1 - terms * kU);
  NormExpected expected;
  for (std::size_t row = 0; row < static_cast<std::size_t>(c.problem.rows); ++row) {
    std::vector<double> s(width), ds(width);
    double mean = 0, magnitude = 0, mean_ds = 0;
    for (std::size_t i = 0; i < width; ++i) {
      const std::size_t at = row * width + i;
      s[i] = c.x[at];
      if (!c.skip.empty()) {
        s[i] += static_cast<double>(c.skip[at % c.skip.size()]) + c.skip_bias[i];
        ds[i] = 3 * kU * (std::abs(c.x[at]) + std::abs(c.skip[at % c.skip.size()]) + std::abs(c.skip_bias[i]));
      }
      mean += s[i] / n;
      magnitude += std::abs(s[i]) / n;
      mean_ds += ds[i] / n;
    }
    const bool layer = c.problem.kind == norm::Kind::layer;
    if (!layer) mean = 0;
    const double dm = layer ? g * magnitude + 2 * kU * std::abs(mean) + mean_ds : 0;
    double variance = 0, cross = 0;
    for (std::size_t i = 0; i < width; ++i) {
      variance += (s[i] - mean) * (s[i] - mean) / n;
      cross += std::abs(s[i] - mean) * (ds[i] + dm) / n;
    }
    const double dv = (g + 4 * kU) * variance + 2 * cross + dm * dm;
    const double inverse = 1 / std::sqrt(variance + static_cast<double>(c.problem.epsilon));
    for (std::size_t i = 0; i < width; ++i) {
      const double beta = c.beta.empty() ? 0.0 : static_cast<double>(c.beta[i]);
      const double scaled = (s[i] - mean) * inverse * c.gamma[i];
      const double spread = std::abs(c.gamma[i]) * inverse * (ds[i] + dm + kU * std::abs(s[i] - mean));
      expected.value.push_back(scaled + beta);
      expected.bound.push_back(spread + std::abs(scaled) * (dv * inverse * inverse / 2 + 6 * kU) + kU * std::abs(beta));
    }
  }
  return expected;
}

}  // namespace gonogo::kernels::reference
