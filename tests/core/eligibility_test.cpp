#include "harness/core/eligibility.hpp"

#include "tests/catch.hpp"

using namespace gonogo::core;

TEST_CASE("a refusal says rule, wanted and got", "[core]") {
  CHECK(accept());
  const Eligibility refused = refuse("n, a multiple of", 16, 20);
  REQUIRE_FALSE(refused);
  CHECK(refused.reason() == Refusal{"n, a multiple of", "16", "20"});
  CHECK(to_string(refused.reason()) == "n, a multiple of: wanted 16, got 20");
}
