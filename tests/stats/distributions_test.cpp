#include "harness/stats/distributions.hpp"

#include <cmath>
#include <limits>

#include "tests/catch.hpp"

using namespace gonogo::stats;

TEST_CASE("the normal quantile agrees with printed tables and undoes the distribution function", "[stats]") {
  CHECK(*normal_quantile(0.975) == Approx(1.959963984540054).epsilon(1e-12));
  CHECK(*normal_quantile(0.995) == Approx(2.575829303548901).epsilon(1e-12));
  CHECK(*normal_quantile(0.5) == 0.0);
  for (const double p : {1e-12, 0.001, 0.2, 0.8, 0.999})
    CHECK(normal_cdf(*normal_quantile(p)) == Approx(p).epsilon(1e-9));
}

TEST_CASE("the incomplete beta function has its closed forms", "[stats]") {
  for (const double x : {0.0, 0.03, 0.3, 0.5, 0.77, 0.999, 1.0}) {
    CHECK(*incomplete_beta(1, 4, x) == Approx(1 - std::pow(1 - x, 4)).margin(1e-13));
    CHECK(*incomplete_beta(3.5, 1, x) == Approx(std::pow(x, 3.5)).margin(1e-13));
    CHECK(*incomplete_beta(2, 3, x) == Approx(x * x * (6 - 8 * x + 3 * x * x)).margin(1e-13));
    CHECK(*incomplete_beta(0.5, 0.5, x) == Approx(2 / std::acos(-1.0) * std::asin(std::sqrt(x))).margin(1e-12));
    CHECK(*incomplete_beta(7, 90, x) + *incomplete_beta(90, 7, 1 - x) == Approx(1.0).margin(1e-12));
  }
}

TEST_CASE("Student's distribution has its closed forms for one and two degrees of freedom", "[stats]") {
  for (const double t : {-30.0, -2.0, -0.1, 0.0, 0.7, 5.0}) {
    CHECK(*student_cdf(t, 1) == Approx(0.5 + std::atan(t) / std::acos(-1.0)).margin(1e-12));
    CHECK(*student_cdf(t, 2) == Approx(0.5 + t / (2 * std::sqrt(2 + t * t))).margin(1e-12));
  }
}

TEST_CASE("Student's quantiles agree with printed tables", "[stats]") {
  CHECK(*student_quantile(0.95, 1) == Approx(6.314).margin(5e-4));
  CHECK(*student_quantile(0.975, 7) == Approx(2.365).margin(5e-4));
  CHECK(*student_quantile(0.995, 10) == Approx(3.169).margin(5e-4));
  CHECK(*student_quantile(0.025, 30) == Approx(-2.042).margin(5e-4));
  CHECK(*student_quantile(0.9, 1e7) == Approx(*normal_quantile(0.9)).epsilon(1e-5));
}

TEST_CASE("what no distribution has is undefined, not a number", "[stats]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(normal_quantile(0).has_value());
  CHECK_FALSE(normal_quantile(1).has_value());
  CHECK_FALSE(normal_quantile(nan).has_value());
  CHECK_FALSE(incomplete_beta(0, 1, 0.5).has_value());
  CHECK_FALSE(incomplete_beta(1, 1, 1.5).has_value());
  CHECK_FALSE(incomplete_beta(1, 1, nan).has_value());
  CHECK_FALSE(beta_quantile(1, -1, 0.5).has_value());
  CHECK_FALSE(student_cdf(1, 0).has_value());
  CHECK_FALSE(student_cdf(nan, 3).has_value());
  CHECK_FALSE(student_quantile(1, 3).has_value());
}
