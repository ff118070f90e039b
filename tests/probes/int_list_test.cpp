#include "harness/core/error.hpp"
#include "tests/catch.hpp"
#include "tools/bench/int_list.hpp"

using gonogo::bench::parse_int_list;
using gonogo::core::UsageError;
using List = std::vector<std::int64_t>;

TEST_CASE("lists, ranges and powers of two mix, ascending and without repeats") {
  CHECK(parse_int_list("1,2,4", "--m-list", 1, 100) == List{1, 2, 4});
  CHECK(parse_int_list("8,2,8,4", "--m-list", 1, 100) == List{2, 4, 8});
  CHECK(parse_int_list("1:4", "--m-list", 1, 100) == List{1, 2, 3, 4});
  CHECK(parse_int_list("64:160:32", "--past", 0, 1000) == List{64, 96, 128, 160});
  CHECK(parse_int_list("1:4:2", "--past", 0, 1000) == List{1, 3});
  CHECK(parse_int_list("pow2:1:16", "--m-list", 1, 100) == List{1, 2, 4, 8, 16});
  CHECK(parse_int_list("pow2:3:20,5", "--m-list", 1, 100) == List{4, 5, 8, 16});
}

TEST_CASE("what is no whole number in range is refused by name") {
  for (const char* text : {"", ",", "1,", "1,,2", "x", "0x10", "10k", "1_000", "1e9", "1.5", " 1", "+1", "0", "-1", "101",
                           "99999999999999999999", "4294967297", "4:1", "1:4:0", "1:2:3:4", "pow2:5:7", "pow2", "pow2:1", "1:x"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_int_list(text, "--m-list", 1, 100), UsageError);
  }
  CHECK_THROWS_AS(parse_int_list("1:1000000", "--past", 0, 1 << 30), UsageError);
  try {
    (void)parse_int_list("1,M", "--m-list", 1, 100);
    FAIL("M is no number");
  } catch (const UsageError& error) {
    CHECK(std::string(error.what()).find("--m-list") != std::string::npos);
    CHECK(std::string(error.what()).find("'M'") != std::string::npos);
  }
}
