#include "harness/cli/numbers.hpp"

#include "tests/catch.hpp"
#include "tests/cli/usage.hpp"

using namespace gonogo;
using cli::parse_integer;
using cli::parse_real;
using tests::holds;
using tests::usage;

TEST_CASE("whole numbers are read exactly", "[cli]") {
  CHECK(parse_integer("0", "--n") == 0);
  CHECK(parse_integer("-5", "--n") == -5);
  CHECK(parse_integer("4294967297", "--n") == 4294967297);
  CHECK(parse_integer("9223372036854775807", "--n") == 9223372036854775807);
  CHECK(parse_integer("-9223372036854775808", "--n") == std::numeric_limits<std::int64_t>::min());
}

TEST_CASE("a number that is not plain digits is refused with its text", "[cli]") {
  for (const char* text :
       {"", " ", "1e9", "0x10", "10k", "1_000", "+1", " 1", "1 ", "1.0", "--", "-", "nan", "1,2", "\xC2\xB2"}) {
    CAPTURE(text);
    CHECK(holds(usage([&] { (void)parse_integer(text, "--samples"); }),
                "--samples: '" + std::string(text) + "' is not a whole number"));
  }
}

TEST_CASE("an overflow is refused, not clamped or wrapped", "[cli]") {
  for (const char* text : {"99999999999999999999", "-99999999999999999999", "9223372036854775808"}) {
    CAPTURE(text);
    CHECK(usage([&] { (void)parse_integer(text, "--m"); }) == "--m: " + std::string(text) + " does not fit 64 bits");
  }
}

TEST_CASE("a number outside its range is refused with the bound and the value", "[cli]") {
  CHECK(usage([] { (void)parse_integer("-1", "--device", {0, 7}); }) == "--device: wanted at least 0, got -1");
  CHECK(usage([] { (void)parse_integer("8", "--device", {0, 7}); }) == "--device: wanted at most 7, got 8");
  CHECK(parse_integer("7", "--device", {0, 7}) == 7);
  CHECK(usage([] { (void)parse_real("-0.05", "--threshold", {0, 1}); }) == "--threshold: wanted at least 0, got -0.05");
}

TEST_CASE("real numbers are decimal and finite", "[cli]") {
  CHECK(parse_real("2.5", "--x") == 2.5);
  CHECK(parse_real("-1e-3", "--x") == -1e-3);
  CHECK(parse_real("3", "--x") == 3.0);
  for (const char* text : {"", "nan", "inf", "-inf", "0x1p3", "1.5x", "1,5", "+1"}) {
    CAPTURE(text);
    CHECK(holds(usage([&] { (void)parse_real(text, "--x"); }), "is not a number"));
  }
  CHECK(holds(usage([] { (void)parse_real("1e999", "--x"); }), "does not fit a double"));
}
