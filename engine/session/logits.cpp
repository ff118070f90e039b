#include "engine/session/logits.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "harness/core/error.hpp"
#include "harness/core/half.hpp"

namespace gonogo::engine {

bool all_finite(std::span<const float> values) {
  constexpr std::uint32_t kExponent = 0x7f800000;
  std::uint32_t bad = 0;  // integer, so that the loop vectorises
  for (const float value : values) bad |= static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(value) & kExponent) == kExponent);
  return bad == 0;
}

std::int64_t argmax(std::span<const float> row) {
  // Two passes that vectorise, instead of one that carries an index: the largest value as an ordered integer, then its place.
  constexpr std::int32_t kNan = std::numeric_limits<std::int32_t>::min();
  const auto ordered = [](float value) {
    const auto bits = std::bit_cast<std::int32_t>(value + 0.0f);  // -0 becomes 0
    const std::int32_t key = bits < 0 ? bits ^ 0x7fffffff : bits;
    return value == value ? key : kNan;
  };
  std::int32_t best = kNan;
  for (const float value : row) best = std::max(best, ordered(value));
  for (std::size_t i = 0; i < row.size(); ++i)
    if (ordered(row[i]) == best) return static_cast<std::int64_t>(i);
  return 0;
}

void HostLogits::clear() {
  values_ = {};
  argmax_.clear();
  finite_ = true;
}

void HostLogits::read(const core::Tensor& logits) {
  GONOGO_EXPECT(!logits.shape.empty() && logits.shape.back() > 0, core::to_string(logits.shape));
  const auto count = static_cast<std::size_t>(logits.count());
  if (logits.dtype == core::DType::f32) {
    values_ = {logits.as<float>(), count};
  } else {
    GONOGO_EXPECT(logits.dtype == core::DType::f16, std::string(core::name_of(logits.dtype)));
    if (converted_.size() < count * sizeof(float)) converted_ = core::HostBuffer(count * sizeof(float));
    core::f16_to_f32(logits.as<std::uint16_t>(), converted_.as<float>(), count);
    values_ = {converted_.as<float>(), count};
  }
  const auto vocab = static_cast<std::size_t>(logits.shape.back());
  argmax_.clear();
  for (std::size_t row = 0; row < count; row += vocab) argmax_.push_back(engine::argmax(values_.subspan(row, vocab)));
  finite_ = all_finite(values_);
}

}  // namespace gonogo::engine
