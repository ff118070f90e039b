#include "harness/measure/interleave.hpp"

#include <algorithm>

#include "tests/catch.hpp"

using gonogo::measure::interleave;
using Order = std::vector<std::size_t>;

TEST_CASE("arms alternate their direction from round to round", "[measure]") {
  CHECK(interleave(2, 4) == Order{0, 1, 1, 0, 0, 1, 1, 0});
  CHECK(interleave(3, 2) == Order{0, 1, 2, 2, 1, 0});
  CHECK(interleave(1, 3) == Order{0, 0, 0});
  CHECK(interleave(0, 3).empty());
  CHECK(interleave(3, 0).empty());
}

TEST_CASE("every arm has its samples, and a linear drift favours none over whole pairs of rounds", "[measure]") {
  for (const std::size_t arms : {2U, 3U, 5U})
    for (const std::size_t samples : {2U, 10U, 30U}) {
      const auto order = interleave(arms, samples);
      REQUIRE(order.size() == arms * samples);
      std::vector<std::size_t> positions(arms, 0);
      for (std::size_t arm = 0; arm < arms; ++arm)
        CHECK(static_cast<std::size_t>(std::count(order.begin(), order.end(), arm)) == samples);
      for (std::size_t i = 0; i < order.size(); ++i) positions[order[i]] += i;
      for (std::size_t arm = 1; arm < arms; ++arm) CHECK(positions[arm] == positions[0]);
    }
}
