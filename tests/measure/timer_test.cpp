#include "harness/measure/timer.hpp"

#include "harness/core/error.hpp"
#include "tests/catch.hpp"

using namespace gonogo;
using measure::timer_floor;

TEST_CASE("the floor of a coarse clock is its step, not the cost of reading it", "[measure]") {
  std::int64_t reads = 0;
  const auto floor = timer_floor([&] { return ++reads / 10 * 500; }, 20);  // steps of 500 ns, ten readings each
  CHECK(floor.resolution_ns == 500);
  CHECK(floor.read_ns >= 45);
  CHECK(floor.read_ns <= 55);
  CHECK(floor.least_trusted_ns() == 10000);
}

TEST_CASE("the floor of a fine clock is the cost of reading it", "[measure]") {
  std::int64_t reads = 0;
  const auto floor = timer_floor([&] {
    ++reads;
    return 30 * reads + (reads % 7 == 0 ? 0 : 1);
  });
  CHECK(floor.resolution_ns == 29);
  CHECK(floor.read_ns == 30);
  CHECK(floor.least_trusted_ns() == 600);
}

TEST_CASE("a clock that stands still or runs backwards is no clock", "[measure]") {
  CHECK_THROWS_AS(timer_floor([] { return std::int64_t{7}; }), core::EnvironmentError);
  std::int64_t now = 1000;
  CHECK_THROWS_AS(timer_floor([&] { return --now; }), core::EnvironmentError);
}

TEST_CASE("this machine's clock resolves a microsecond", "[measure]") {
  const auto floor = timer_floor();
  CHECK(floor.resolution_ns > 0);
  CHECK(floor.resolution_ns <= 1000);
  const measure::Timer timer;
  const auto first = timer.ns();
  CHECK(first >= 0);
  CHECK(timer.ns() >= first);
}
