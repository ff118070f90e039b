#include "kernels/sample/argmax.hpp"

#include <limits>
#include <string>

#include "harness/core/error.hpp"
#include "kernels/hwy_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sample/argmax.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace gonogo::kernels::sample {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct Top {
  float value = -std::numeric_limits<float>::infinity();
  bool all_finite = true;
};

/// The greatest value that is not NaN, and whether all are finite.
Top top_of(const float* x, std::size_t count) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  const float infinity = std::numeric_limits<float>::infinity();
  auto top = hn::Set(d, -infinity);
  auto zero = hn::Zero(d);  // x * 0 is NaN for an infinity or a NaN, and NaN stays in the sum
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto v = hn::LoadU(d, x + i);
    top = hn::IfThenElse(hn::Gt(v, top), v, top);  // false for NaN
    zero = hn::MulAdd(v, hn::Zero(d), zero);
  }
  HWY_ALIGN float tops[HWY_MAX_BYTES / sizeof(float)];
  HWY_ALIGN float zeros[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(top, d, tops);
  hn::Store(zero, d, zeros);
  Top result;
  float left = 0.0f;
  for (std::size_t j = 0; j < lanes; ++j) {
    if (tops[j] > result.value) result.value = tops[j];
    left += zeros[j];
  }
  for (; i < count; ++i) {
    if (x[i] > result.value) result.value = x[i];
    left += x[i] * 0.0f;
  }
  result.all_finite = left == 0.0f;
  return result;
}

void choose(const float* x, std::size_t count, Choice& choice) {
  const Top top = top_of(x, count);
  choice.all_finite = top.all_finite;
  choice.index = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (x[i] == top.value) {
      choice.index = static_cast<std::int64_t>(i);
      return;
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace gonogo::kernels::sample
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gonogo::kernels::sample {
namespace {
HWY_EXPORT(choose);
}  // namespace

Choice argmax(std::span<const float> row) {
  GONOGO_EXPECT(!row.empty(), std::string("a row of logits"));
  Choice choice;
  HWY_DYNAMIC_DISPATCH(choose)(row.data(), row.size(), choice);
  return choice;
}

float top_gap(std::span<const float> row) {
  GONOGO_EXPECT(row.size() >= 2, std::to_string(row.size()) + " logits");
  float first = -std::numeric_limits<float>::infinity(), second = first;
  for (const float v : row) {
    if (v > first)
      second = first, first = v;
    else if (v > second)
      second = v;
  }
  return first - second;
}

}  // namespace gonogo::kernels::sample
#endif
