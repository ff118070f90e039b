#include <vector>

#include "harness/core/error.hpp"
#include "harness/stats/summary.hpp"
#include "tests/catch.hpp"

using namespace gonogo;
using stats::theil_sen_intercept;
using stats::theil_sen_slope;

TEST_CASE("Theil-Sen finds an exact line", "[stats]") {
  const std::vector<double> x{2, 4, 8, 16}, y{10, 14, 22, 38};
  CHECK(*theil_sen_slope(x, y) == Approx(2.0));
  CHECK(*theil_sen_intercept(x, y) == Approx(6.0));
}

TEST_CASE("Theil-Sen ignores one wild point where least squares would not", "[stats]") {
  const std::vector<double> x{1, 2, 3, 4, 5, 6, 7}, y{1, 2, 3, 400, 5, 6, 7};
  CHECK(*theil_sen_slope(x, y) == Approx(1.0));
  CHECK(*theil_sen_intercept(x, y) == Approx(0.0));
}

TEST_CASE("Theil-Sen needs two different x", "[stats]") {
  CHECK_FALSE(theil_sen_slope({}, {}).has_value());
  CHECK_FALSE(theil_sen_slope(std::vector<double>{1}, std::vector<double>{2}).has_value());
  CHECK_FALSE(theil_sen_slope(std::vector<double>{3, 3}, std::vector<double>{2, 5}).has_value());
  CHECK_FALSE(theil_sen_intercept(std::vector<double>{3, 3}, std::vector<double>{2, 5}).has_value());
  CHECK(*theil_sen_slope(std::vector<double>{3, 3, 4}, std::vector<double>{2, 4, 5}) == Approx(2.0));  // of 3 and 1
}

TEST_CASE("Theil-Sen refuses lists of different lengths", "[stats]") {
  CHECK_THROWS_AS(theil_sen_slope(std::vector<double>{1, 2}, std::vector<double>{1}), core::LogicError);
}
