// float16 and bfloat16 as bit patterns, converted to and from float32 with round-to-nearest-even.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gonogo::core {

[[nodiscard]] float f16_to_f32(std::uint16_t bits);
[[nodiscard]] std::uint16_t f32_to_f16(float value);
[[nodiscard]] float bf16_to_f32(std::uint16_t bits);
[[nodiscard]] std::uint16_t f32_to_bf16(float value);

/// Whole rows; vectorised where the machine can.
void f16_to_f32(const std::uint16_t* from, float* to, std::size_t count);
void f32_to_f16(const float* from, std::uint16_t* to, std::size_t count);

}  // namespace gonogo::core
