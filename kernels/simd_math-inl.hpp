// Vectorised exp, tanh, erf and sigmoid for the kernels, compiled once per Highway target.
// Bounds over all float32 (checked by tests/kernels/activation_test.cpp), u = 2^-24:
//   exp      |got - exact| <= 4u exact + 2^-149; inf above 88.73, 0 below -104, NaN stays NaN
//   tanh     |got - exact| <= 10u |exact|
//   erf      |got - exact| <= 2.5e-7
//   sigmoid  |got - exact| <= 8u exact + 2^-126
// Every lane is computed alike, so a value does not depend on its place in a vector.

#if defined(GONOGO_KERNELS_SIMD_MATH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef GONOGO_KERNELS_SIMD_MATH_INL
#undef GONOGO_KERNELS_SIMD_MATH_INL
#else
#define GONOGO_KERNELS_SIMD_MATH_INL
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace gonogo::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// e^x: x = n ln2 + r with |r| <= ln2/2, Taylor to r^7 (next term 5e-9), times 2^n in two factors so that the result
/// may be subnormal or infinite without the exponent wrapping.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_lanes(D d, V x) {
  const hn::Rebind<std::int32_t, D> di;
  // Comparisons are false for NaN, so a NaN is not clamped away.
  x = hn::IfThenElse(hn::Gt(x, hn::Set(d, 89.0f)), hn::Set(d, 89.0f), x);
  x = hn::IfThenElse(hn::Lt(x, hn::Set(d, -104.0f)), hn::Set(d, -104.0f), x);
  const V n = hn::Round(hn::Mul(x, hn::Set(d, 1.44269504088896341f)));
  // ln2 in two parts; the first has 9 bits, so n times it is exact.
  V r = hn::NegMulAdd(n, hn::Set(d, 0.693359375f), x);
  r = hn::NegMulAdd(n, hn::Set(d, -2.12194440054690583e-4f), r);
  V p = hn::MulAdd(r, hn::Set(d, 1.0f / 5040.0f), hn::Set(d, 1.0f / 720.0f));
  p = hn::MulAdd(r, p, hn::Set(d, 1.0f / 120.0f));
  p = hn::MulAdd(r, p, hn::Set(d, 1.0f / 24.0f));
  p = hn::MulAdd(r, p, hn::Set(d, 1.0f / 6.0f));
  p = hn::MulAdd(r, p, hn::Set(d, 0.5f));
  p = hn::MulAdd(r, p, hn::Set(d, 1.0f));
  p = hn::MulAdd(r, p, hn::Set(d, 1.0f));
  const auto whole = hn::ConvertTo(di, n);
  const auto half = hn::ShiftRight<1>(whole);
  const auto bias = hn::Set(di, 127);
  const V first = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(half, bias)));
  const V second = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(hn::Sub(whole, half), bias)));
  return hn::Mul(hn::Mul(p, first), second);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V sigmoid_lanes(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  return hn::Div(one, hn::Add(one, exp_lanes(d, hn::Neg(x))));
}

/// Taylor below 1/2 (eight terms, next 2e-8 relative), 1 - 2/(e^2|x| + 1) above, sign restored.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V tanh_lanes(D d, V x) {
  const V a = hn::Abs(x);
  const V s = hn::Mul(x, x);
  V p = hn::MulAdd(s, hn::Set(d, -929569.0f / 638512875.0f), hn::Set(d, 21844.0f / 6081075.0f));
  p = hn::MulAdd(s, p, hn::Set(d, -1382.0f / 155925.0f));
  p = hn::MulAdd(s, p, hn::Set(d, 62.0f / 2835.0f));
  p = hn::MulAdd(s, p, hn::Set(d, -17.0f / 315.0f));
  p = hn::MulAdd(s, p, hn::Set(d, 2.0f / 15.0f));
  p = hn::MulAdd(s, p, hn::Set(d, -1.0f / 3.0f));
  const V small = hn::MulAdd(hn::Mul(x, s), p, x);
  const V one = hn::Set(d, 1.0f);
  const V e = exp_lanes(d, hn::Add(a, a));
  const V big = hn::CopySign(hn::Sub(one, hn::Div(hn::Set(d, 2.0f), hn::Add(e, one))), x);
  return hn::IfThenElse(hn::Lt(a, hn::Set(d, 0.5f)), small, big);
}

/// Taylor below 1 (ten terms, next 1.5e-8). Above: Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26,
/// 1 - (a1 t + ... + a5 t^5) e^(-x^2), t = 1/(1 + p|x|), absolute error 1.5e-7 before rounding.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V erf_lanes(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V a = hn::Abs(x);
  const V s = hn::Mul(x, x);
  V q = hn::MulAdd(s, hn::Set(d, -1.0f / 6894720.0f), hn::Set(d, 1.0f / 685440.0f));
  q = hn::MulAdd(s, q, hn::Set(d, -1.0f / 75600.0f));
  q = hn::MulAdd(s, q, hn::Set(d, 1.0f / 9360.0f));
  q = hn::MulAdd(s, q, hn::Set(d, -1.0f / 1320.0f));
  q = hn::MulAdd(s, q, hn::Set(d, 1.0f / 216.0f));
  q = hn::MulAdd(s, q, hn::Set(d, -1.0f / 42.0f));
  q = hn::MulAdd(s, q, hn::Set(d, 1.0f / 10.0f));
  q = hn::MulAdd(s, q, hn::Set(d, -1.0f / 3.0f));
  q = hn::MulAdd(s, q, one);
  const V small = hn::Mul(hn::Mul(hn::Set(d, 1.12837916709551257f), x), q);

  const V t = hn::Div(one, hn::MulAdd(hn::Set(d, 0.3275911f), a, one));
  V p = hn::MulAdd(t, hn::Set(d, 1.061405429f), hn::Set(d, -1.453152027f));
  p = hn::MulAdd(t, p, hn::Set(d, 1.421413741f));
  p = hn::MulAdd(t, p, hn::Set(d, -0.284496736f));
  p = hn::MulAdd(t, p, hn::Set(d, 0.254829592f));
  p = hn::Mul(p, t);
  const V e = exp_lanes(d, hn::Neg(s));
  const V big = hn::CopySign(hn::NegMulAdd(p, e, one), x);
  return hn::IfThenElse(hn::Lt(a, one), small, big);
}

/// Sum of the lanes in a fixed tree: neighbours, then neighbours of those.
template <class D, class V = hn::Vec<D>>
HWY_INLINE float sum_lanes(D d, V v) {
  HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(v, d, lanes);
  for (std::size_t n = hn::Lanes(d); n > 1; n /= 2)
    for (std::size_t i = 0; i < n / 2; ++i) lanes[i] = lanes[2 * i] + lanes[2 * i + 1];
  return lanes[0];
}

/// y[i] = f(x[i]) for whole vectors, then once more on a padded copy of what is left.
template <class F>
HWY_INLINE void map_lanes(std::size_t count, const float* x, float* y, F f) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(f(d, hn::LoadU(d, x + i)), d, y + i);
  if (i == count) return;
  HWY_ALIGN float rest[HWY_MAX_BYTES / sizeof(float)] = {};
  for (std::size_t j = 0; i + j < count; ++j) rest[j] = x[i + j];
  hn::Store(f(d, hn::Load(d, rest)), d, rest);
  for (std::size_t j = 0; i + j < count; ++j) y[i + j] = rest[j];
}

}  // namespace HWY_NAMESPACE
}  // namespace gonogo::kernels
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
