#include "harness/stats/distributions.hpp"

#include <cmath>
#include <limits>

namespace gonogo::stats {
namespace {

constexpr double kTiny = 1e-300;

double kept_from_zero(double value) { return std::abs(value) < kTiny ? kTiny : value; }

// The continued fraction of I_x(a, b), modified Lentz; converges fast for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  double c = 1;
  double d = 1 / kept_from_zero(1 - (a + b) * x / (a + 1));
  double result = d;
  for (int m = 1; m <= 10000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / kept_from_zero(1 + even * d);
    c = kept_from_zero(1 + even / c);
    result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / kept_from_zero(1 + odd * d);
    c = kept_from_zero(1 + odd / c);
    const double step = d * c;
    result *= step;
    if (std::abs(step - 1) < 1e-16) break;
  }
  return result;
}

// std::lgamma writes a global sign; for positive arguments the sign is known, so the reentrant form is enough.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

// The root of a rising function between two ends where it has opposite signs: the secant with the Illinois weight, and
// every third step a bisection, so that it can neither run away nor creep.
template <class Function>
double solve(Function&& rising, double target, double low, double high) {
  double below = rising(low) - target, above = rising(high) - target;
  if (!(below < 0)) return low;
  if (!(above > 0)) return high;
  for (int i = 0; i < 300; ++i) {
    const double secant = (low * above - high * below) / (above - below);
    const double half = low * 0.5 + high * 0.5;
    const double next = i % 3 != 2 && secant > low && secant < high ? secant : half;
    if (next <= low || next >= high) break;
    const double value = rising(next) - target;
    if (value == 0) return next;
    if (value < 0) {
      low = next;
      below = value;
      above *= 0.5;
    } else {
      high = next;
      above = value;
      below *= 0.5;
    }
    if (high - low <= 1e-15 * std::fmax(std::abs(low), std::abs(high))) break;
  }
  return low * 0.5 + high * 0.5;
}

}  // namespace

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

std::optional<double> normal_quantile(double p) {
  if (!(p > 0 && p < 1)) return std::nullopt;
  if (p == 0.5) return 0.0;
  // The lower tail keeps the digits of a small p.
  if (p > 0.5) return -*normal_quantile(1 - p);
  return solve(normal_cdf, p, -40, 0);
}

std::optional<double> incomplete_beta(double a, double b, double x) {
  if (!(a > 0 && b > 0 && x >= 0 && x <= 1)) return std::nullopt;
  if (x == 0 || x == 1) return x;
  const double front = std::exp(a * std::log(x) + b * std::log1p(-x) + log_gamma(a + b) - log_gamma(a) - log_gamma(b));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

std::optional<double> beta_quantile(double a, double b, double p) {
  if (!(a > 0 && b > 0 && p >= 0 && p <= 1)) return std::nullopt;
  if (p == 0 || p == 1) return p;
  return solve([&](double x) { return *incomplete_beta(a, b, x); }, p, 0, 1);
}

std::optional<double> student_cdf(double t, double dof) {
  if (!(dof > 0) || std::isnan(t)) return std::nullopt;
  if (t == 0) return 0.5;
  if (std::isinf(t)) return t > 0 ? 1.0 : 0.0;
  const double tail = 0.5 * *incomplete_beta(dof / 2, 0.5, dof / (dof + t * t));
  return t > 0 ? 1 - tail : tail;
}

std::optional<double> student_quantile(double p, double dof) {
  if (!(p > 0 && p < 1 && dof > 0)) return std::nullopt;
  if (p == 0.5) return 0.0;
  if (p > 0.5) {
    const auto mirrored = student_quantile(1 - p, dof);
    return mirrored ? std::optional(-*mirrored) : std::nullopt;
  }
  double low = -1;
  while (*student_cdf(low, dof) > p) {
    low *= 2;
    if (!std::isfinite(low)) return std::nullopt;
  }
  return solve([&](double t) { return *student_cdf(t, dof); }, p, low, 0);
}

}  // namespace gonogo::stats
