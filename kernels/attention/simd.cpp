// Vectorised attention. Per unit (query vectors of one KV head): all scores, then softmax, then the weighted sum, so
// that a tile of keys or values is read from the cache once for all vectors of the unit.
//
//   scores   lanes run over head_dim, kLanes keys at a time; the kLanes partial sums are folded in a tree of neighbours
//   softmax  lanes run over keys, counted from the row's first key
//   output   lanes run over head_dim; keys are added one after the other in cache order
// Each of the three orders is fixed by the row alone, which makes it independent of its company.
#include <algorithm>
#include <cstring>
#include <limits>

#include "kernels/attention/parts.hpp"
#include "kernels/hwy_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention/simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/simd_math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace gonogo::kernels::attention {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace math = gonogo::kernels::HWY_NAMESPACE;

/// One query vector of the unit.
struct Vector {
  const float* query = nullptr;
  const float* bias = nullptr;  // or null
  float* out = nullptr;
  float* score = nullptr;  // score[k - begin]
  std::int64_t begin = 0, end = 0;
  ExtraTerm extra;
  float inverse = 0.0f;
};

/// `count` cache rows from `first` as float32 rows: the cache itself, or converted into `tile`.
const float* load_rows(const Problem& p, const std::byte* rows, std::int64_t first, std::int64_t count, float* tile) {
  if (p.cache == core::DType::f32) return reinterpret_cast<const float*>(rows) + first * p.head_dim;
  const hn::CappedTag<float, 8> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> dh;
  const auto* from = reinterpret_cast<const hwy::float16_t*>(rows) + first * p.head_dim;
  // head_dim is a multiple of 8, so is the run of rows.
  for (std::int64_t i = 0; i < count * p.head_dim; i += static_cast<std::int64_t>(hn::Lanes(d)))
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(dh, from + i)), d, tile + i);
  return tile;
}

/// Lane j of the result is the sum of acc[j], folded as (0+1)+(2+3)...
template <class D, std::size_t kCount, class V = hn::Vec<D>>
HWY_INLINE V fold([[maybe_unused]] D d, V (&acc)[kCount]) {
  if constexpr (kCount == 1) {
    return acc[0];
  } else {
#if HWY_TARGET != HWY_SCALAR  // one lane: nothing to fold, and the operations do not exist
    V half[kCount / 2];
    for (std::size_t i = 0; i < kCount / 2; ++i)
      half[i] = hn::Add(hn::ConcatEven(d, acc[2 * i + 1], acc[2 * i]), hn::ConcatOdd(d, acc[2 * i + 1], acc[2 * i]));
    return fold(d, half);
#endif
  }
}

/// Scores of one query vector against kLanes consecutive key rows.
template <class D>
HWY_INLINE hn::Vec<D> score_lanes(D d, const float* HWY_RESTRICT q, const float* HWY_RESTRICT keys,
                                  std::int64_t head_dim) {
  constexpr std::size_t kLanes = hn::MaxLanes(D());
  hn::Vec<D> acc[kLanes];
  for (std::size_t j = 0; j < kLanes; ++j) acc[j] = hn::Zero(d);
  for (std::int64_t i = 0; i < head_dim; i += static_cast<std::int64_t>(kLanes)) {
    const auto v = hn::LoadU(d, q + i);
    const float* HWY_RESTRICT key = keys + i;
    for (std::size_t j = 0; j < kLanes; ++j, key += head_dim) acc[j] = hn::MulAdd(v, hn::LoadU(d, key), acc[j]);
  }
  return fold(d, acc);
}

/// All raw scores of the unit.
template <class D>
void score_unit(D d, const Problem& p, const std::byte* rows, Vector* vectors, std::int64_t count, float* tile) {
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
  std::int64_t begin = vectors[0].begin, end = vectors[0].end;
  for (std::int64_t v = 1; v < count; ++v)
    begin = std::min(begin, vectors[v].begin), end = std::max(end, vectors[v].end);
  for (std::int64_t key = begin; key < end; key += kLanes) {
    const float* keys = nullptr;
    if (key + kLanes <= p.capacity) {
      keys = load_rows(p, rows, key, kLanes, tile);
    } else {
      const float* there = load_rows(p, rows, key, p.capacity - key, tile);
      const auto bytes = static_cast<std::size_t>((p.capacity - key) * p.head_dim) * sizeof(float);
      if (there != tile) std::memcpy(tile, there, bytes);
      std::memset(reinterpret_cast<std::byte*>(tile) + bytes, 0,
                  static_cast<std::size_t>(kLanes * p.head_dim) * sizeof(float) - bytes);
      keys = tile;
    }
    for (std::int64_t v = 0; v < count; ++v) {
      Vector& vector = vectors[v];
      if (key >= vector.end || key + kLanes <= vector.begin) continue;
      const auto score = score_lanes(d, vector.query, keys, p.head_dim);
      // Lanes do not mix, so those outside the vector's range are dropped here, whatever they hold.
      if (key >= vector.begin) {
        hn::StoreU(score, d, vector.score + (key - vector.begin));  // scores past `end` fall into the pad
      } else {
        HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
        hn::Store(score, d, lanes);
        for (std::int64_t k = vector.begin; k < std::min(key + kLanes, vector.end); ++k)
          vector.score[k - vector.begin] = lanes[k - key];
      }
    }
  }
}

/// Scale, softcap, bias; then exponentials in place and the inverse of their sum.
void softmax(const Problem& p, Vector& vector) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t count = vector.end - vector.begin;
  float* score = vector.score;
  const float lowest = -std::numeric_limits<float>::infinity();
  // Lanes past the end are made -inf: exp makes them zero.
  for (std::int64_t i = count; i < (count + lanes - 1) / lanes * lanes; ++i) score[i] = lowest;
  auto top_lanes = hn::Set(d, lowest);
  for (std::int64_t i = 0; i < count; i += lanes) {
    auto s = hn::LoadU(d, score + i);
    const auto there = hn::FirstN(d, static_cast<std::size_t>(std::min(lanes, count - i)));
    s = hn::Mul(s, hn::Set(d, p.scale));
    if (p.softcap != 0.0f) s = hn::Mul(hn::Set(d, p.softcap), math::tanh_lanes(d, hn::Div(s, hn::Set(d, p.softcap))));
    if (vector.bias != nullptr) {
      if (i + lanes <= count) {
        s = hn::Add(s, hn::LoadU(d, vector.bias + vector.begin + i));
      } else {
        HWY_ALIGN float rest[HWY_MAX_BYTES / sizeof(float)] = {};
        for (std::int64_t j = 0; i + j < count; ++j) rest[j] = vector.bias[vector.begin + i + j];
        s = hn::Add(s, hn::Load(d, rest));
      }
    }
    s = hn::IfThenElse(there, s, hn::Set(d, lowest));
    hn::StoreU(s, d, score + i);
    top_lanes = hn::IfThenElse(hn::Gt(s, top_lanes), s, top_lanes);
  }
  HWY_ALIGN float tops[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(top_lanes, d, tops);
  float top = vector.extra.present ? vector.extra.logit : lowest;
  for (std::int64_t i = 0; i < lanes; ++i) top = tops[i] > top ? tops[i] : top;
  // Every key masked away by an infinite bias: the terms are zero, and so is the row. A NaN score stays one.
  if (top == lowest) top = 0.0f;

  auto sum_lanes = hn::Zero(d);
  for (std::int64_t i = 0; i < count; i += lanes) {
    const auto e = math::exp_lanes(d, hn::Sub(hn::LoadU(d, score + i), hn::Set(d, top)));
    hn::StoreU(e, d, score + i);
    sum_lanes = hn::Add(sum_lanes, e);
  }
  float sum = math::sum_lanes(d, sum_lanes);
  if (vector.extra.present) {
    HWY_ALIGN float lane[HWY_MAX_BYTES / sizeof(float)];
    hn::Store(math::exp_lanes(d, hn::Set(d, vector.extra.logit - top)), d, lane);
    sum += lane[0];
  }
  vector.inverse = sum == 0.0f ? 0.0f : 1.0f / sum;
}

/// out[r][at ...] += sum over keys [begin, end) of score * value, for kRows vectors and kCols lane groups.
template <int kRows, int kCols, class D>
HWY_INLINE void add_values(D d, const Vector* vectors, const float* values, std::int64_t first, std::int64_t begin,
                           std::int64_t end, std::int64_t at, std::int64_t head_dim) {
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
  hn::Vec<D> acc[kRows][kCols];
  const float* weight[kRows];
  for (int r = 0; r < kRows; ++r) {
    weight[r] = vectors[r].score - vectors[r].begin;
    for (int c = 0; c < kCols; ++c) acc[r][c] = hn::LoadU(d, vectors[r].out + at + c * kLanes);
  }
  const float* row = values + (begin - first) * head_dim + at;
  for (std::int64_t key = begin; key < end; ++key, row += head_dim) {
    hn::Vec<D> v[kCols];
    for (int c = 0; c < kCols; ++c) v[c] = hn::LoadU(d, row + c * kLanes);
    for (int r = 0; r < kRows; ++r) {
      const auto w = hn::Set(d, weight[r][key]);
      for (int c = 0; c < kCols; ++c) acc[r][c] = hn::MulAdd(w, v[c], acc[r][c]);
    }
  }
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kCols; ++c) hn::StoreU(acc[r][c], d, vectors[r].out + at + c * kLanes);
}

template <int kRows, class D>
void add_columns(D d, const Vector* vectors, const float* values, std::int64_t first, std::int64_t begin,
                 std::int64_t end, std::int64_t head_dim) {
  if (begin >= end) return;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
  std::int64_t at = 0;
  for (; at + 4 * kLanes <= head_dim; at += 4 * kLanes)
    add_values<kRows, 4>(d, vectors, values, first, begin, end, at, head_dim);
  for (; at < head_dim; at += kLanes) add_values<kRows, 1>(d, vectors, values, first, begin, end, at, head_dim);
}

template <class D>
void weigh_unit(D d, const Problem& p, const std::byte* rows, Vector* vectors, std::int64_t count, float* tile) {
  constexpr int kRows = hn::MaxLanes(D()) >= 16 ? 4 : 2;  // accumulators must fit the registers
  std::int64_t begin = vectors[0].begin, end = vectors[0].end;
  for (std::int64_t v = 1; v < count; ++v)
    begin = std::min(begin, vectors[v].begin), end = std::max(end, vectors[v].end);
  for (std::int64_t first = begin; first < end; first += kTileRows) {
    const std::int64_t last = std::min(end, first + kTileRows);
    const float* values = load_rows(p, rows, first, last - first, tile);
    std::int64_t v = 0;
    for (; v + kRows <= count; v += kRows) {
      // Rows of a block see ranges that differ at the edges: the common part together, the edges one by one, in order.
      std::int64_t low = first, high = last;
      for (int r = 0; r < kRows; ++r)
        low = std::max(low, vectors[v + r].begin), high = std::min(high, vectors[v + r].end);
      high = std::max(low, high);
      for (int r = 0; r < kRows; ++r)
        add_columns<1>(d, vectors + v + r, values, first, std::max(first, vectors[v + r].begin),
                       std::min({low, last, vectors[v + r].end}), p.head_dim);
      add_columns<kRows>(d, vectors + v, values, first, low, high, p.head_dim);
      for (int r = 0; r < kRows; ++r)
        add_columns<1>(d, vectors + v + r, values, first, std::max(high, vectors[v + r].begin),
                       std::min(last, vectors[v + r].end), p.head_dim);
    }
    for (; v < count; ++v)
      add_columns<1>(d, vectors + v, values, first, std::max(first, vectors[v].begin), std::min(last, vectors[v].end),
                     p.head_dim);
  }
}

template <class D>
void attend_lanes(D d, const Problem& p, const Args& args, const Unit& unit, const UnitScratch& scratch) {
  Vector vectors[kUnitVectors];
  std::int64_t count = 0;
  for (std::int64_t row = unit.row; row < unit.row + unit.rows; ++row)
    for (std::int64_t head = unit.head; head < unit.head + unit.heads; ++head, ++count) {
      Vector& vector = vectors[count];
      const auto range = keys_of(p, args.first[unit.batch], args.valid[unit.batch], row);
      vector = {.query = args.query.at(unit.batch, row, head),
                .bias = args.bias.data == nullptr ? nullptr : args.bias.at(unit.batch, row, head),
                .out = args.output.at(unit.batch, row, head),
                .score = scratch.scores + count * scratch.score_stride,
                .begin = range.begin,
                .end = range.end,
                .extra = extra_term(p, args, head)};
      std::fill_n(vector.out, p.head_dim, 0.0f);
    }
  score_unit(d, p, cache_rows(p, args.keys, unit.batch, unit.head), vectors, count, scratch.tile);
  for (std::int64_t v = 0; v < count; ++v) softmax(p, vectors[v]);
  weigh_unit(d, p, cache_rows(p, args.values, unit.batch, unit.head), vectors, count, scratch.tile);
  const hn::CappedTag<float, 8> d8;
  for (std::int64_t v = 0; v < count; ++v)
    for (std::int64_t i = 0; i < p.head_dim; i += static_cast<std::int64_t>(hn::Lanes(d8)))
      hn::StoreU(hn::Mul(hn::LoadU(d8, vectors[v].out + i), hn::Set(d8, vectors[v].inverse)), d8, vectors[v].out + i);
}

void attend_unit(const Problem& p, const Args& args, const Unit& unit, const UnitScratch& scratch) {
  // Vectors of 16 where they divide the head, else of 8, which always do.
  if (p.head_dim % 16 == 0)
    attend_lanes(hn::CappedTag<float, 16>(), p, args, unit, scratch);
  else
    attend_lanes(hn::CappedTag<float, 8>(), p, args, unit, scratch);
}

}  // namespace HWY_NAMESPACE
}  // namespace gonogo::kernels::attention
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gonogo::kernels::attention {
namespace {
HWY_EXPORT(attend_unit);
}  // namespace

void attend_simd(const Problem& problem, const Args& args, const Unit& unit, const UnitScratch& scratch) {
  HWY_DYNAMIC_DISPATCH(attend_unit)(problem, args, unit, scratch);
}

}  // namespace gonogo::kernels::attention
#endif
