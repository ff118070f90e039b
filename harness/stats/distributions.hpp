// The distribution functions that the tests and intervals need. Accurate to about 1e-12; undefined is nullopt.
#pragma once

#include <optional>

namespace gonogo::stats {

/// P(Z <= z) of the standard normal.
[[nodiscard]] double normal_cdf(double z);
/// The z with P(Z <= z) = p; nullopt unless 0 < p < 1.
[[nodiscard]] std::optional<double> normal_quantile(double p);

/// Regularised incomplete beta I_x(a, b) by its continued fraction (Lentz); nullopt unless a, b > 0 and 0 <= x <= 1.
[[nodiscard]] std::optional<double> incomplete_beta(double a, double b, double x);
/// The x with I_x(a, b) = p; nullopt unless a, b > 0 and 0 <= p <= 1.
[[nodiscard]] std::optional<double> beta_quantile(double a, double b, double p);

/// Student's t with `dof` degrees of freedom (> 0, not only whole ones).
[[nodiscard]] std::optional<double> student_cdf(double t, double dof);
[[nodiscard]] std::optional<double> student_quantile(double p, double dof);

}  // namespace gonogo::stats
