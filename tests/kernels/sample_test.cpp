#include <cmath>
#include <limits>
#include <vector>

#include "harness/core/error.hpp"
#include "kernels/sample/argmax.hpp"
#include "tests/catch.hpp"

namespace {

using namespace gonogo;
using kernels::sample::argmax;

TEST_CASE("argmax finds the greatest value wherever it stands", "[kernels]") {
  for (const std::size_t count : {1, 2, 15, 16, 17, 63, 64, 65, 1000})
    for (std::size_t at = 0; at < count; ++at) {
      std::vector<float> row(count, -3.0f);
      row[at] = -2.5f;
      CAPTURE(count);
      CHECK(argmax(row).index == static_cast<std::int64_t>(at));
    }
}

TEST_CASE("the lowest index wins a tie, and zero ties with minus zero", "[kernels]") {
  std::vector<float> row(100, 1.0f);
  row[37] = row[90] = 2.0f;
  CHECK(argmax(row).index == 37);
  CHECK(argmax(std::vector<float>(50, 0.25f)).index == 0);
  CHECK(argmax(std::vector<float>{-1.0f, -0.0f, 0.0f}).index == 1);
}

TEST_CASE("argmax passes over NaN and reports every value that is not finite", "[kernels]") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  for (const std::size_t count : {3, 16, 50})
    for (std::size_t at = 0; at < count; ++at)
      for (const float bad : {nan, -nan, infinity, -infinity}) {
        std::vector<float> row(count, -1.0f);
        row[(at + 1) % count] = 5.0f;
        CHECK(argmax(row).all_finite);
        row[at] = bad;
        const auto choice = argmax(row);
        CHECK_FALSE(choice.all_finite);
        CHECK(choice.index == static_cast<std::int64_t>(bad == infinity ? at : (at + 1) % count));
      }
  const auto nothing = argmax(std::vector<float>(20, nan));
  CHECK(nothing.index == 0);
  CHECK_FALSE(nothing.all_finite);
  CHECK_THROWS_AS(argmax({}), core::LogicError);
}

TEST_CASE("the gap between the two greatest values is zero on a tie", "[kernels]") {
  CHECK(kernels::sample::top_gap(std::vector<float>{1.0f, 4.0f, 3.5f}) == 0.5f);
  CHECK(kernels::sample::top_gap(std::vector<float>{4.0f, 1.0f, 4.0f}) == 0.0f);
  CHECK_THROWS_AS(kernels::sample::top_gap(std::vector<float>{4.0f}), core::LogicError);
}

}  // namespace
