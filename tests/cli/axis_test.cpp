#include "harness/cli/axis.hpp"

#include "tests/catch.hpp"
#include "tests/cli/usage.hpp"

using namespace gonogo;
using cli::parse_axis;
using tests::holds;
using tests::usage;
using Values = std::vector<std::int64_t>;

namespace {
Values axis(const std::string& text) { return parse_axis(text, "--m-list"); }
std::string refusal(const std::string& text) {
  return usage([&] { (void)axis(text); });
}
}  // namespace

TEST_CASE("an axis reads lists, ranges and powers in every spelling people know", "[cli]") {
  CHECK(axis("512") == Values{512});
  CHECK(axis("8,1,4") == Values{8, 1, 4});
  CHECK(axis("1:4") == Values{1, 2, 3, 4});
  CHECK(axis("1:9:2") == Values{1, 3, 5, 7, 9});
  CHECK(axis("1:10:4") == Values{1, 5, 9});
  CHECK(axis("3:3") == Values{3});
  CHECK(axis("1-4") == Values{1, 2, 3, 4});
  CHECK(axis("1-8+3") == Values{1, 4, 7});
  CHECK(axis("1-64*2") == Values{1, 2, 4, 8, 16, 32, 64});
  CHECK(axis("3-20*3") == Values{3, 9});
  CHECK(axis("pow2:1:16") == Values{1, 2, 4, 8, 16});
  CHECK(axis("pow2:4:4") == Values{4});
  CHECK(axis("[pow2]=[0:4:1]") == Values{1, 2, 4, 8, 16});
  CHECK(axis("[pow2]=[0:4:2]") == Values{1, 4, 16});
  CHECK(axis("[pow2]=[3,1]") == Values{8, 2});
  CHECK(axis("[1,2:3]") == Values{1, 2, 3});
  CHECK(axis("1,2,4:6,pow2:16:32,100-102") == Values{1, 2, 4, 5, 6, 16, 32, 100, 101, 102});
}

TEST_CASE("zero, negative and repeated values and empty items are refused", "[cli]") {
  CHECK(refusal("0") == "--m-list: wanted at least 1, got 0");
  CHECK(refusal("1,0") == "--m-list: wanted at least 1, got 0");
  CHECK(refusal("-1") == "--m-list: wanted at least 1, got -1");
  CHECK(refusal("-3:2") == "--m-list: wanted at least 1, got -3");
  CHECK(refusal("1,2,1") == "--m-list: 1 appears twice in '1,2,1'");
  CHECK(refusal("1:4,3") == "--m-list: 3 appears twice in '1:4,3'");
  CHECK(refusal("") == "--m-list: the list is empty");
  CHECK(refusal("[]") == "--m-list: the list is empty");
  for (const char* text : {",", "1,", ",1", "1,,2"}) {
    CAPTURE(text);
    CHECK(holds(refusal(text), "has an empty item"));
  }
}

TEST_CASE("an axis may allow zero", "[cli]") {
  CHECK(parse_axis("0,256", "--past", {.min = 0}) == Values{0, 256});
  CHECK(parse_axis("0-2", "--past", {.min = 0}) == Values{0, 1, 2});
  CHECK(usage([] { (void)parse_axis("5000", "--past", {.min = 0, .max = 4096}); }) ==
        "--past: wanted at most 4096, got 5000");
}

TEST_CASE("numbers on an axis are exact or refused", "[cli]") {
  for (const char* text :
       {"99999999999999999999", "1e9", "0x10", "10k", "1_000", "1:1e3", "1-8+1k", "pow2:1:0x10", "a", "1;2", "1 2"}) {
    CAPTURE(text);
    CHECK(holds(refusal(text), "--m-list: "));
  }
  CHECK(axis("4294967297") == Values{4294967297});
}

TEST_CASE("ranges that make no sense are refused", "[cli]") {
  CHECK(holds(refusal("8:1"), "runs backwards"));
  CHECK(holds(refusal("8-1"), "runs backwards"));
  CHECK(holds(refusal("pow2:16:1"), "runs backwards"));
  CHECK(holds(refusal("[pow2]=[4:0]"), "runs backwards"));
  CHECK(holds(refusal("1:8:0"), "step of at least 1"));
  CHECK(holds(refusal("1:8:-1"), "step of at least 1"));
  CHECK(holds(refusal("1-8*1"), "factor of at least 2"));
  CHECK(holds(refusal("0-8*2"), "starts at 1 or more"));
  CHECK(holds(refusal("pow2:3:16"), "3 in 'pow2:3:16' is not a power of two"));
  CHECK(holds(refusal("pow2:1:12"), "12 in 'pow2:1:12' is not a power of two"));
  CHECK(holds(refusal("1:2:3:4"), "is not first:last:step"));
  CHECK(holds(refusal("pow2:1"), "is not pow2:first:last"));
  CHECK(holds(refusal("[pow2]=[63]"), "wanted at most 62, got 63"));
  for (const char* text : {"1:", ":4", "4-", "1-8+", "1-8*", "1-8+1+1", "pow2::", "[pow2]=[]", "[pow2]="}) {
    CAPTURE(text);
    CHECK(holds(refusal(text), "--m-list: "));
  }
}

TEST_CASE("a range ends at the end of the integers and not behind it", "[cli]") {
  CHECK(axis("9223372036854775800:9223372036854775807:5") == Values{9223372036854775800, 9223372036854775805});
  CHECK(axis("4611686018427387904-9223372036854775807*2") == Values{4611686018427387904});
  CHECK(parse_axis("-9223372036854775808:9223372036854775807:9223372036854775807", "--x",
                   {.min = std::numeric_limits<std::int64_t>::min()})
            .size() == 3);
}

TEST_CASE("a range of too many points is refused instead of filling the memory", "[cli]") {
  CHECK(holds(refusal("1:9223372036854775807"), "more than 10000 points"));
  CHECK(axis("1:10000").size() == 10000);
}
