#include "kernels/norm/norm.hpp"

#include <cmath>
#include <cstring>

#include "harness/core/half.hpp"
#include "kernels/parallel.hpp"
#include "kernels/hwy_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/norm/norm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/simd_math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace gonogo::kernels::norm {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace math = gonogo::kernels::HWY_NAMESPACE;

/// Sum over the row of (x[i] - centre)^power, power 1 or 2: four vectors of partial sums, then lanes, then the rest.
template <int kPower>
float row_sum(const float* x, float centre, std::size_t width) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto c = hn::Set(d, centre);
  auto a0 = hn::Zero(d), a1 = hn::Zero(d), a2 = hn::Zero(d), a3 = hn::Zero(d);
  const auto add = [&](auto acc, std::size_t at) HWY_ATTR {
    const auto v = hn::Sub(hn::LoadU(d, x + at), c);
    return kPower == 1 ? hn::Add(acc, v) : hn::MulAdd(v, v, acc);
  };
  std::size_t i = 0;
  for (; i + 4 * lanes <= width; i += 4 * lanes) {
    a0 = add(a0, i);
    a1 = add(a1, i + lanes);
    a2 = add(a2, i + 2 * lanes);
    a3 = add(a3, i + 3 * lanes);
  }
  for (; i + lanes <= width; i += lanes) a0 = add(a0, i);
  float sum = math::sum_lanes(d, hn::Add(hn::Add(a0, a1), hn::Add(a2, a3)));
  for (; i < width; ++i) {
    const float v = x[i] - centre;
    sum += kPower == 1 ? v : v * v;
  }
  return sum;
}

/// y = (x - centre) * scale, in vectors and then one by one; both round alike.
void centre_and_scale(const float* x, float centre, float scale, float* y, std::size_t width) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= width; i += lanes)
    hn::StoreU(hn::Mul(hn::Sub(hn::LoadU(d, x + i), hn::Set(d, centre)), hn::Set(d, scale)), d, y + i);
  for (; i < width; ++i) y[i] = (x[i] - centre) * scale;
}

/// y = y * gamma + beta, the product rounded first.
void apply_gamma(const float* gamma, const float* beta, float* y, std::size_t width) {
  if (gamma != nullptr)
    for (std::size_t i = 0; i < width; ++i) y[i] *= gamma[i];
  if (beta != nullptr)
    for (std::size_t i = 0; i < width; ++i) y[i] += beta[i];
}

void add_skip(const float* x, const float* skip, const float* bias, float* sum, std::size_t width) {
  if (bias == nullptr)
    for (std::size_t i = 0; i < width; ++i) sum[i] = x[i] + skip[i];
  else
    for (std::size_t i = 0; i < width; ++i) sum[i] = (x[i] + skip[i]) + bias[i];
}

void normalize_row(const Problem& p, const Args& args, std::int64_t row) {
  const auto width = static_cast<std::size_t>(p.width);
  const auto count = static_cast<float>(p.width);
  const float* x = args.x + row * p.width;
  float* y = args.y + row * p.width;
  if (args.skip != nullptr) {
    float* sum = args.sum == nullptr ? y : args.sum + row * p.width;
    add_skip(x, args.skip + row % args.skip_rows * p.width, args.skip_bias, sum, width);
    x = sum;
  }
  const float mean = p.kind == Kind::layer ? row_sum<1>(x, 0.0f, width) / count : 0.0f;
  const float inverse = 1.0f / std::sqrt(row_sum<2>(x, mean, width) / count + p.epsilon);
  centre_and_scale(x, mean, inverse, y, width);
  if (p.rounding == Rounding::f16_before_gamma)
    for (std::size_t i = 0; i < width; ++i) y[i] = core::f16_to_f32(core::f32_to_f16(y[i]));
  apply_gamma(args.gamma, args.beta, y, width);
  if (args.mean != nullptr) args.mean[row] = mean;
  if (args.inverse != nullptr) args.inverse[row] = inverse;
}

}  // namespace HWY_NAMESPACE
}  // namespace gonogo::kernels::norm
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gonogo::kernels::norm {
namespace {
HWY_EXPORT(normalize_row);
constexpr std::int64_t kGrainFloats = 16384;  // below this a thread costs more than it computes
}  // namespace

void normalize(const Problem& p, const Args& args, Threads threads) {
  const std::int64_t grain = std::max<std::int64_t>(1, kGrainFloats / std::max<std::int64_t>(1, p.width));
  parallel_chunks(p.rows, grain, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) HWY_DYNAMIC_DISPATCH(normalize_row)(p, args, row);
  });
}

}  // namespace gonogo::kernels::norm
#endif
