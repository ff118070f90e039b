#include "harness/core/half.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tests/catch.hpp"

using namespace gonogo;

TEST_CASE("every finite float16 survives the round trip through float32 bit for bit", "[core]") {
  int checked = 0;
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = core::f16_to_f32(half);
    if (std::isnan(value)) {
      CHECK(std::isnan(core::f16_to_f32(core::f32_to_f16(value))));
      continue;
    }
    if (core::f32_to_f16(value) != half) FAIL("float16 bits " << bits);
    ++checked;
  }
  CHECK(checked == 65536 - 2 * 1023);
}

TEST_CASE("float32 rounds to the nearest float16, ties to even", "[core]") {
  // Between neighbours a and b the midpoint goes to the even one, and one float32 step away decides the other way.
  for (std::uint32_t bits = 0; bits < 0x7bff; ++bits) {
    const double a = core::f16_to_f32(static_cast<std::uint16_t>(bits));
    const double b = core::f16_to_f32(static_cast<std::uint16_t>(bits + 1));
    const auto midpoint = static_cast<float>((a + b) / 2);
    const auto even = static_cast<std::uint16_t>(bits % 2 == 0 ? bits : bits + 1);
    if (core::f32_to_f16(midpoint) != even) FAIL("midpoint above float16 bits " << bits);
    if (core::f32_to_f16(std::nextafter(midpoint, 0.0f)) != bits) FAIL("below the midpoint, bits " << bits);
    if (core::f32_to_f16(std::nextafter(midpoint, 1e9f)) != bits + 1) FAIL("above the midpoint, bits " << bits);
  }
  CHECK(core::f32_to_f16(65519.99f) == 0x7bff);
  CHECK(core::f32_to_f16(65520.0f) == 0x7c00);
  CHECK(core::f32_to_f16(-std::numeric_limits<float>::infinity()) == 0xfc00);
}

TEST_CASE("bfloat16 rounds to nearest even and keeps NaN", "[core]") {
  CHECK(core::f32_to_bf16(1.0f) == 0x3f80);
  CHECK(core::f32_to_bf16(std::bit_cast<float>(0x3f808000u)) == 0x3f80);
  CHECK(core::f32_to_bf16(std::bit_cast<float>(0x3f818000u)) == 0x3f82);
  CHECK(std::isnan(core::bf16_to_f32(core::f32_to_bf16(std::numeric_limits<float>::quiet_NaN()))));
}
