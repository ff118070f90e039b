#include "harness/core/tensor.hpp"

#include <cstdint>

#include "harness/core/error.hpp"
#include "harness/core/narrow.hpp"
#include "tests/catch.hpp"

using namespace gonogo;

TEST_CASE("four-bit tensors are packed over the whole tensor, rounded up once", "[core]") {
  CHECK(core::bytes_of(core::DType::i4, 15) == 8);
  CHECK(core::bytes_of(core::DType::u4, 16) == 8);
  CHECK(core::bytes_of(core::DType::f16, 3) == 6);
  CHECK(core::bytes_of(core::DType::i64, 0) == 0);
}

TEST_CASE("an element count that overflows or is negative is an error, not a wrapped number", "[core]") {
  CHECK(core::count_of({}) == 1);
  CHECK(core::count_of({2, 0, 5}) == 0);
  CHECK_THROWS_AS(core::count_of({std::int64_t{1} << 40, std::int64_t{1} << 40}), core::LogicError);
  CHECK_THROWS_AS(core::count_of({-1, 2}), core::LogicError);
  CHECK(core::to_string(core::Shape{1, 8, 4096}) == "[1, 8, 4096]");
}

TEST_CASE("narrowing throws where the value does not fit", "[core]") {
  CHECK(core::narrow<std::int32_t>(std::int64_t{7}) == 7);
  CHECK_THROWS_AS(core::narrow<std::int32_t>(std::int64_t{1} << 31), core::LogicError);
  CHECK_THROWS_AS(core::narrow<std::uint8_t>(-1), core::LogicError);
}
