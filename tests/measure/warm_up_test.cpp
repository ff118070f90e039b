#include "harness/measure/warm_up.hpp"

#include <limits>

#include "harness/core/error.hpp"
#include "tests/catch.hpp"

using namespace gonogo;
using measure::WarmUp;
using measure::WarmUpEnd;

TEST_CASE("warm-up ends when three windows agree within one percent", "[measure]") {
  WarmUp warm_up({});
  for (const double ms : {9.0, 5.0, 3.0, 2.0, 1.5, 1.2}) warm_up.add(ms);  // the ramp
  for (int i = 0; i < 7; ++i) warm_up.add(1.0 + 0.001 * (i % 3));
  CHECK_FALSE(warm_up.done());  // the first of the three windows is 1.5, 1.2, 1.0: its median is the ramp's
  warm_up.add(1.001);           // now it is 1.2, 1.0, 1.001
  CHECK(warm_up.end() == WarmUpEnd::flat);
  CHECK(warm_up.runs() == 14);
}

TEST_CASE("a slow ramp is not flat", "[measure]") {
  WarmUp warm_up({.max_runs = 60, .max_seconds = 1e9});
  double ms = 10;
  while (!warm_up.done()) warm_up.add(ms *= 0.99);  // 6 % over the windows
  CHECK(warm_up.end() == WarmUpEnd::max_runs);
  CHECK(warm_up.runs() == 60);
}

TEST_CASE("one spike does not keep warm-up going", "[measure]") {
  WarmUp warm_up({});
  for (int i = 0; i < 9; ++i) warm_up.add(i == 4 ? 50.0 : 1.0);
  CHECK(warm_up.end() == WarmUpEnd::flat);
}

TEST_CASE("runs on another path never make warm-up flat", "[measure]") {
  WarmUp warm_up({.max_runs = 100});
  for (int i = 0; i < 20; ++i) warm_up.add(1.0, false);
  CHECK_FALSE(warm_up.done());
  for (int i = 0; i < 8; ++i) warm_up.add(1.0);
  CHECK_FALSE(warm_up.done());
  warm_up.add(1.0);
  CHECK(warm_up.end() == WarmUpEnd::flat);
  CHECK(warm_up.runs() == 29);
}

TEST_CASE("warm-up ends by time, but not before its least number of runs", "[measure]") {
  WarmUp warm_up({.min_runs = 3, .max_seconds = 1.0});
  warm_up.add(900);
  warm_up.add(800);
  CHECK_FALSE(warm_up.done());
  warm_up.add(700);
  CHECK(warm_up.end() == WarmUpEnd::max_time);
  CHECK(warm_up.seconds() == Approx(2.4));
}

TEST_CASE("the least number of runs holds for a flat start", "[measure]") {
  WarmUp warm_up({.min_runs = 12});
  for (int i = 0; i < 11; ++i) warm_up.add(1.0);
  CHECK_FALSE(warm_up.done());
  warm_up.add(1.0);
  CHECK(warm_up.end() == WarmUpEnd::flat);
}

TEST_CASE("a time that is none is a bug of the caller", "[measure]") {
  WarmUp warm_up({});
  CHECK_THROWS_AS(warm_up.add(-1), core::LogicError);
  CHECK_THROWS_AS(warm_up.add(std::numeric_limits<double>::quiet_NaN()), core::LogicError);
}
