#include "kernels/matmul/simd.hpp"

#include <omp.h>

#include <algorithm>

#include "kernels/hwy_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matmul/simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef GONOGO_MATMUL_COLUMN_TILE
#define GONOGO_MATMUL_COLUMN_TILE
namespace gonogo::kernels::matmul {
/// A thread's range of columns starts at a multiple of this; widest vectors times the widest tile divide it.
constexpr std::int64_t kColumnTile = 64;
}  // namespace gonogo::kernels::matmul
#endif

HWY_BEFORE_NAMESPACE();
namespace gonogo::kernels::matmul::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(D()));

struct F32 {
  using Type = float;
  static HWY_INLINE V Load(const Type* from) { return hn::LoadU(D(), from); }
};
struct F16 {
  using Type = hwy::float16_t;
  static HWY_INLINE V Load(const Type* from) {
    return hn::PromoteTo(D(), hn::LoadU(hn::Rebind<hwy::float16_t, D>(), from));
  }
};

/// `count` < kLanes elements, zeros after them.
template <class W>
HWY_INLINE V LoadPart(const typename W::Type* from, std::int64_t count) {
  HWY_ALIGN typename W::Type part[kLanes] = {};
  for (std::int64_t i = 0; i < count; ++i) part[i] = from[i];
  return W::Load(part);
}

template <class W, std::size_t kRows, std::size_t kVectors>
HWY_INLINE void AxpyTile(const Problem& p, const Args& args, std::int64_t m, std::int64_t n) {
  const auto* HWY_RESTRICT w = static_cast<const typename W::Type*>(args.w) + n;
  const float* HWY_RESTRICT a = args.a + m * p.k;
  V sums[kRows][kVectors];
  for (auto& row : sums)
    for (V& sum : row) sum = hn::Zero(D());
  for (std::int64_t k = 0; k < p.k; ++k) {
    V weights[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v)
      weights[v] = W::Load(w + k * p.n + static_cast<std::int64_t>(v) * kLanes);
    for (std::size_t r = 0; r < kRows; ++r) {
      const V scalar = hn::Set(D(), a[static_cast<std::int64_t>(r) * p.k + k]);
      for (std::size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(scalar, weights[v], sums[r][v]);
    }
  }
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t v = 0; v < kVectors; ++v)
      hn::StoreU(sums[r][v], D(),
                 args.y + (m + static_cast<std::int64_t>(r)) * p.n + n + static_cast<std::int64_t>(v) * kLanes);
}

/// The last columns, fewer than a vector.
template <class W>
HWY_NOINLINE void AxpyPart(const Problem& p, const Args& args, std::int64_t m, std::int64_t n) {
  const auto* w = static_cast<const typename W::Type*>(args.w) + n;
  V sum = hn::Zero(D());
  for (std::int64_t k = 0; k < p.k; ++k)
    sum = hn::MulAdd(hn::Set(D(), args.a[m * p.k + k]), LoadPart<W>(w + k * p.n, p.n - n), sum);
  HWY_ALIGN float out[kLanes];
  hn::Store(sum, D(), out);
  std::copy_n(out, p.n - n, args.y + m * p.n + n);
}

template <class W, std::size_t kRows>
void AxpyRows(const Problem& p, const Args& args, std::int64_t m, std::int64_t begin, std::int64_t end) {
  constexpr std::size_t kVectors = 4;
  constexpr auto kStep = static_cast<std::int64_t>(kVectors) * kLanes;
  std::int64_t n = begin;
  for (; n + kStep <= end; n += kStep) AxpyTile<W, kRows, kVectors>(p, args, m, n);
  for (; n + kLanes <= end; n += kLanes) AxpyTile<W, kRows, 1>(p, args, m, n);
  if (n < end)
    for (std::size_t r = 0; r < kRows; ++r) AxpyPart<W>(p, args, m + static_cast<std::int64_t>(r), n);
}

template <class W, std::size_t kRows, std::size_t kColumns>
HWY_INLINE void DotTile(const Problem& p, const Args& args, std::int64_t m, std::int64_t n) {
  const float* HWY_RESTRICT a = args.a + m * p.k;
  const auto* HWY_RESTRICT w = static_cast<const typename W::Type*>(args.w) + n * p.k;
  V sums[kRows][kColumns];
  for (auto& row : sums)
    for (V& sum : row) sum = hn::Zero(D());
  const auto step = [&](const auto& load_a, const auto& load_w) HWY_ATTR {
    V rows[kRows];
    for (std::size_t r = 0; r < kRows; ++r) rows[r] = load_a(a + static_cast<std::int64_t>(r) * p.k);
    for (std::size_t c = 0; c < kColumns; ++c) {
      const V weights = load_w(w + static_cast<std::int64_t>(c) * p.k);
      for (std::size_t r = 0; r < kRows; ++r) sums[r][c] = hn::MulAdd(rows[r], weights, sums[r][c]);
    }
  };
  std::int64_t k = 0;
  for (; k + kLanes <= p.k; k += kLanes)
    step([k](const float* at) HWY_ATTR { return F32::Load(at + k); },
         [k](const auto* at) HWY_ATTR { return W::Load(at + k); });
  if (k < p.k) {
    const std::int64_t rest = p.k - k;
    step([=](const float* at) HWY_ATTR { return LoadPart<F32>(at + k, rest); },
         [=](const auto* at) HWY_ATTR { return LoadPart<W>(at + k, rest); });
  }
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t c = 0; c < kColumns; ++c)
      args.y[(m + static_cast<std::int64_t>(r)) * p.n + n + static_cast<std::int64_t>(c)] =
          hn::GetLane(hn::SumOfLanes(D(), sums[r][c]));
}

template <class W, std::size_t kRows>
void DotRows(const Problem& p, const Args& args, std::int64_t m, std::int64_t begin, std::int64_t end) {
  std::int64_t n = begin;
  for (; n + 4 <= end; n += 4) DotTile<W, kRows, 4>(p, args, m, n);
  for (; n < end; ++n) DotTile<W, kRows, 1>(p, args, m, n);
}

template <class W>
void ColumnsOf(const Problem& p, const Args& args, std::int64_t begin, std::int64_t end) {
  for (std::int64_t n = begin; n < end; n += kColumnTile) {
    const std::int64_t last = std::min(n + kColumnTile, end);
    std::int64_t m = 0;
    if (p.transposed) {
      for (; m + 4 <= p.m; m += 4) DotRows<W, 4>(p, args, m, n, last);
      for (; m < p.m; ++m) DotRows<W, 1>(p, args, m, n, last);
    } else {
      for (; m + 4 <= p.m; m += 4) AxpyRows<W, 4>(p, args, m, n, last);
      for (; m < p.m; ++m) AxpyRows<W, 1>(p, args, m, n, last);
    }
  }
}

void Columns(const Problem& p, const Args& args, std::int64_t begin, std::int64_t end) {
  p.weights == core::DType::f16 ? ColumnsOf<F16>(p, args, begin, end) : ColumnsOf<F32>(p, args, begin, end);
}

}  // namespace
}  // namespace gonogo::kernels::matmul::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gonogo::kernels::matmul {
HWY_EXPORT(Columns);

void run_simd(const Problem& p, const Args& args, Threads threads) {
  if (p.m == 0 || p.n == 0) return;
  const std::int64_t tiles = (p.n + kColumnTile - 1) / kColumnTile;
#pragma omp parallel num_threads(threads.count)
  {
    const std::int64_t team = omp_get_num_threads();
    const std::int64_t me = omp_get_thread_num();
    const std::int64_t begin = tiles * me / team * kColumnTile;
    const std::int64_t end = std::min(tiles * (me + 1) / team * kColumnTile, p.n);
    if (begin < end) HWY_DYNAMIC_DISPATCH(Columns)(p, args, begin, end);
  }
}
}  // namespace gonogo::kernels::matmul
#endif
