#include "kernels/activation/activation.hpp"

#include "kernels/parallel.hpp"
#include "kernels/hwy_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/activation/activation.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/simd_math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace gonogo::kernels::activation {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace math = gonogo::kernels::HWY_NAMESPACE;

void apply_chunk(Unary f, float alpha, const float* x, float* y, std::size_t count) {
  switch (f) {
    case Unary::exp:
      return math::map_lanes(count, x, y, [](auto d, auto v) HWY_ATTR { return math::exp_lanes(d, v); });
    case Unary::erf:
      return math::map_lanes(count, x, y, [](auto d, auto v) HWY_ATTR { return math::erf_lanes(d, v); });
    case Unary::relu:
      // Max would drop a NaN.
      return math::map_lanes(
          count, x, y, [](auto d, auto v) HWY_ATTR { return hn::IfThenElse(hn::Lt(v, hn::Zero(d)), hn::Zero(d), v); });
    case Unary::sigmoid:
      return math::map_lanes(count, x, y, [](auto d, auto v) HWY_ATTR { return math::sigmoid_lanes(d, v); });
    case Unary::tanh:
      return math::map_lanes(count, x, y, [](auto d, auto v) HWY_ATTR { return math::tanh_lanes(d, v); });
    case Unary::gelu_erf:
      return math::map_lanes(count, x, y, [](auto d, auto v) HWY_ATTR {
        const auto e = math::erf_lanes(d, hn::Mul(v, hn::Set(d, 0.70710678118654752f)));
        return hn::Mul(hn::Mul(hn::Set(d, 0.5f), v), hn::Add(hn::Set(d, 1.0f), e));
      });
    case Unary::gelu_tanh:
      return math::map_lanes(count, x, y, [](auto d, auto v) HWY_ATTR {
        const auto cube = hn::Mul(hn::Mul(v, v), v);
        const auto inner = hn::Mul(hn::Set(d, 0.79788456080286536f), hn::MulAdd(hn::Set(d, 0.044715f), cube, v));
        return hn::Mul(hn::Mul(hn::Set(d, 0.5f), v), hn::Add(hn::Set(d, 1.0f), math::tanh_lanes(d, inner)));
      });
    case Unary::quick_gelu:
      return math::map_lanes(count, x, y, [alpha](auto d, auto v) HWY_ATTR {
        return hn::Mul(v, math::sigmoid_lanes(d, hn::Mul(hn::Set(d, alpha), v)));
      });
  }
}

void swiglu_chunk(const float* gate, const float* up, float* y, std::size_t count) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto one = [&](const float* g, const float* u, float* to) HWY_ATTR {
    const auto v = hn::LoadU(d, g);
    hn::StoreU(hn::Mul(hn::Mul(v, math::sigmoid_lanes(d, v)), hn::LoadU(d, u)), d, to);
  };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) one(gate + i, up + i, y + i);
  if (i == count) return;
  HWY_ALIGN float g[HWY_MAX_BYTES / sizeof(float)] = {};
  HWY_ALIGN float u[HWY_MAX_BYTES / sizeof(float)] = {};
  for (std::size_t j = 0; i + j < count; ++j) g[j] = gate[i + j], u[j] = up[i + j];
  one(g, u, g);
  for (std::size_t j = 0; i + j < count; ++j) y[i + j] = g[j];
}

}  // namespace HWY_NAMESPACE
}  // namespace gonogo::kernels::activation
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <cmath>

namespace gonogo::kernels::activation {
namespace {
HWY_EXPORT(apply_chunk);
HWY_EXPORT(swiglu_chunk);
constexpr std::int64_t kGrain = 8192;  // below this a thread costs more than it computes
}  // namespace

void apply(Unary f, float alpha, const float* x, float* y, std::int64_t count, Threads threads) {
  parallel_chunks(count, kGrain, threads, [&](std::int64_t begin, std::int64_t end) {
    HWY_DYNAMIC_DISPATCH(apply_chunk)(f, alpha, x + begin, y + begin, static_cast<std::size_t>(end - begin));
  });
}

void swiglu(const float* gate, const float* up, float* y, std::int64_t count, Threads threads) {
  parallel_chunks(count, kGrain, threads, [&](std::int64_t begin, std::int64_t end) {
    HWY_DYNAMIC_DISPATCH(swiglu_chunk)(gate + begin, up + begin, y + begin, static_cast<std::size_t>(end - begin));
  });
}

double reference(Unary f, double alpha, double x) {
  switch (f) {
    case Unary::exp:
      return std::exp(x);
    case Unary::erf:
      return std::erf(x);
    case Unary::relu:
      return x < 0 ? 0 : x;
    case Unary::sigmoid:
      return 1 / (1 + std::exp(-x));
    case Unary::tanh:
      return std::tanh(x);
    case Unary::gelu_erf:
      return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
    case Unary::gelu_tanh:
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
    case Unary::quick_gelu:
      return x / (1 + std::exp(-alpha * x));
  }
  return 0;
}

}  // namespace gonogo::kernels::activation
#endif
