#include <nlohmann/json.hpp>
#include <algorithm>
#include <set>

#include "harness/core/error.hpp"
#include "reports/pair/plan.hpp"
#include "tests/catch.hpp"

using namespace gonogo;
using namespace gonogo::reports;

namespace {
PairPlan plan_of(std::size_t blocks, std::uint64_t seed = 1) {
  PairPlan plan;
  plan.a = "x";
  plan.b = "y";
  plan.blocks = blocks;
  plan.seed = seed;
  return plan;
}
}  // namespace

TEST_CASE("eight blocks are sixteen runs, each arm eight times and as often first as second", "[pair]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto visits = visits_of(plan_of(8, seed));
    REQUIRE(visits.size() == 16);
    std::size_t a = 0, position_a = 0, position_b = 0;
    for (const Visit& visit : visits) {
      CHECK(visit.block == visit.index / 2);
      a += visit.arm == Arm::a ? 1 : 0;
      (visit.arm == Arm::a ? position_a : position_b) += visit.index;
    }
    CHECK(a == 8);
    CHECK(position_a == position_b);  // a linear drift favours neither
    const auto orders = orders_of(plan_of(8, seed));
    CHECK(std::count(orders.begin(), orders.end(), 0) == 4);
    for (std::size_t block = 0; block < 8; ++block) CHECK((visits[2 * block].arm == Arm::a) == (orders[block] == 0));
  }
}

TEST_CASE("the order comes from the seed: the same again, and both kinds among several", "[pair]") {
  CHECK(orders_of(plan_of(12, 7)) == orders_of(plan_of(12, 7)));
  std::set<std::vector<std::uint8_t>> seen;
  for (std::uint64_t seed = 0; seed < 10; ++seed) seen.insert(orders_of(plan_of(12, seed)));
  CHECK(seen.size() > 5);
}

TEST_CASE("with a control the candidate stands between two runs of the same code, in turning order", "[pair]") {
  auto plan = plan_of(6);
  plan.control = "x";
  const auto visits = visits_of(plan);
  REQUIRE(visits.size() == 18);
  for (std::size_t block = 0; block < 6; ++block) {
    CHECK(visits[3 * block + 1].arm == Arm::b);
    CHECK(visits[3 * block].arm == (orders_of(plan)[block] == 0 ? Arm::a : Arm::control));
  }
}

TEST_CASE("a plan that can never find a change is refused with the numbers", "[pair]") {
  CHECK_NOTHROW(check_reach(plan_of(6), 1));
  CHECK_NOTHROW(check_reach(plan_of(11), 50));
  try {
    check_reach(plan_of(8), 50);
    FAIL("accepted");
  } catch (const core::UsageError& error) {
    const std::string message = error.what();
    CHECK(message.find("8 blocks reach p = 0.00781") != std::string::npos);
    CHECK(message.find("ask for 0.001") != std::string::npos);
    CHECK(message.find("at least 11 blocks") != std::string::npos);
  }
  CHECK_THROWS_AS(check_reach(plan_of(5), 1), core::UsageError);
}

TEST_CASE("a plan survives its JSON", "[pair]") {
  auto plan = plan_of(9, 3);
  plan.control = "z";
  plan.metrics = {"a*", "b<1,2>"};
  plan.gpu = "GPU-1";
  plan.timeout_s = 2.5;
  plan.practical = 0.03;
  CHECK(to_json(plan_from(to_json(plan), "f", "p")) == to_json(plan));
  auto broken = to_json(plan);
  broken.erase("blocks");
  CHECK_THROWS_AS(plan_from(broken, "f", "p"), core::InputError);
  broken = to_json(plan);
  broken["blocks"] = 0;
  CHECK_THROWS_AS(plan_from(broken, "f", "p"), core::InputError);
}
