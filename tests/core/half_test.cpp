#include "harness/core/half.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

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

TEST_CASE("whole rows convert to the bits of their elements", "[core]") {
  std::vector<std::uint16_t> halves(0x10000);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i);
  std::vector<float> wide(halves.size());
  core::f16_to_f32(halves.data(), wide.data(), halves.size());
  for (std::size_t i = 0; i < halves.size(); ++i)
    if (std::bit_cast<std::uint32_t>(wide[i]) != std::bit_cast<std::uint32_t>(core::f16_to_f32(halves[i])))
      FAIL("float16 bits " << i);

  // Around every float16 and its midpoint to the next, and a sweep of all float32.
  std::vector<float> values;
  for (std::size_t i = 0; i < halves.size(); ++i)
    for (const std::uint32_t middle : {0u, 0x1000u})
      for (const std::uint32_t step : {0xffffffffu, 0u, 1u})
        values.push_back(std::bit_cast<float>(std::bit_cast<std::uint32_t>(wide[i]) + middle + step));
  for (std::uint64_t bits = 0; bits < 0x100000000ull; bits += 4099)
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  std::vector<std::uint16_t> narrow(values.size());
  core::f32_to_f16(values.data(), narrow.data(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (narrow[i] != core::f32_to_f16(values[i])) FAIL("float32 bits " << std::bit_cast<std::uint32_t>(values[i]));
  CHECK(values.size() > 1000000);
}
