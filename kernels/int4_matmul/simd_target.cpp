// Compiled once per instruction set.
#include "kernels/int4_matmul/simd_target.hpp"

#include <algorithm>
#include <utility>

#include "harness/core/half.hpp"
#include "kernels/int4_matmul/weights.hpp"

// Sets that add nothing this code uses, and sizeless vectors, which cannot be held in arrays of accumulators.
#include "kernels/hwy_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/int4_matmul/simd_target.cpp"
#include <hwy/foreach_target.h>
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "kernels/int4_matmul/simd_decode-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace gonogo::kernels::int4_matmul::HWY_NAMESPACE {
namespace {

using Wide = hn::CappedTag<float, 16>;
using Narrow = hn::CappedTag<float, 8>;  // a block of 16 packed nibbles is 8 bytes

template <class D>
void SplitRow(D d, const float* HWY_RESTRICT from, float* HWY_RESTRICT to, std::int64_t count) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t k = 0;
  for (; k + 2 * lanes <= count; k += 2 * lanes) {
    hn::Vec<D> even, odd;
    hn::LoadInterleaved2(d, from + k, even, odd);
    hn::Store(even, d, to + k);
    hn::Store(odd, d, to + k + lanes);
  }
  for (std::int64_t l = 0; k + 2 * l < count; ++l) {
    to[k + l] = from[k + 2 * l];
    if (k + 2 * l + 1 < count) to[k + lanes + l] = from[k + 2 * l + 1];
  }
}

void SplitRows(const SimdCall& call, std::int64_t begin, std::int64_t end) {
  const Problem& p = call.problem;
  for (std::int64_t m = begin; m < end; ++m) {
    const float* from = call.args.a + m * p.k;
    float* to = call.split + m * call.padded;
    std::fill(to + (p.blocks() - (p.k > 0 ? 1 : 0)) * p.block_size, to + call.padded, 0.0F);
    if (p.bits == 8)
      std::copy_n(from, p.k, to);
    else if (p.block_size == 16)
      SplitRow(Narrow(), from, to, p.k);
    else
      SplitRow(Wide(), from, to, p.k);
  }
}

void PromoteHalf(const void* from, float* HWY_RESTRICT to, std::int64_t count) {
  const Wide d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto* HWY_RESTRICT half = static_cast<const hwy::float16_t*>(from);
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(hn::Rebind<hwy::float16_t, Wide>(), half + i)), d, to + i);
  for (; i < count; ++i) to[i] = core::f16_to_f32(static_cast<const std::uint16_t*>(from)[i]);
}

/// Scales and zero points of `count` columns as float32 rows: in place where they are float32 already.
struct BlockParameters {
  const float* scales = nullptr;       // [count, blocks]
  const float* zero_points = nullptr;  // [count, blocks] or null
};

BlockParameters ReadParameters(const SimdCall& call, const ColumnRange& columns, std::int64_t first,
                               std::int64_t count) {
  const Problem& p = call.problem;
  const std::int64_t blocks = p.blocks();
  BlockParameters out;
  if (p.scales == core::DType::f16) {
    PromoteHalf(static_cast<const std::uint16_t*>(call.args.scales) + first * blocks, columns.scales, count * blocks);
    out.scales = columns.scales;
  } else {
    out.scales = static_cast<const float*>(call.args.scales) + first * blocks;
  }
  if (p.zero_points == ZeroPoints::f32) {
    out.zero_points = static_cast<const float*>(call.args.zero_points) + first * blocks;
  } else if (p.zero_points == ZeroPoints::f16) {
    PromoteHalf(static_cast<const std::uint16_t*>(call.args.zero_points) + first * blocks, columns.zero_points,
                count * blocks);
    out.zero_points = columns.zero_points;
  } else if (p.zero_points == ZeroPoints::packed) {
    for (std::int64_t c = 0; c < count; ++c)
      for (std::int64_t b = 0; b < blocks; ++b)
        columns.zero_points[c * blocks + b] = zero_point_at(p, call.args, first + c, b);
    out.zero_points = columns.zero_points;
  }
  return out;
}

template <class D>
void Finish(D d, const SimdCall& call, std::int64_t m, std::int64_t n, hn::Vec<D> sum) {
  const float total = hn::GetLane(hn::SumOfLanes(d, sum));
  call.args.y[m * call.problem.n + n] = call.args.bias == nullptr ? total : total + call.args.bias[n];
}

// A tile's columns lie one after the other but are read side by side, which hardware prefetchers follow badly: on a Zen
// 5 core 13 GB/s of weights without these prefetches and 21 GB/s with them, where a plain sum reads 27 GB/s.
constexpr std::int64_t kPrefetchBytes = 4096;

// Accumulators live in registers only when every index into them is a constant before the optimiser looks at arrays.
#define GONOGO_INLINE_LAMBDA HWY_ATTR __attribute__((always_inline))

template <std::size_t kCount, class F>
HWY_INLINE void Unroll(const F& f) {
  [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) GONOGO_INLINE_LAMBDA {
    (f(std::integral_constant<std::size_t, kIndex>()), ...);
  }
  (std::make_index_sequence<kCount>());
}

/// An unrolled index as the signed number that addresses are made from.
constexpr std::int64_t Signed(std::size_t index) { return static_cast<std::int64_t>(index); }

/// kRows rows by kColumns columns from column `first`, of which `valid` exist; the others repeat the last and are
/// dropped.
template <class Decode, std::size_t kRows, std::size_t kColumns>
HWY_INLINE void DirectTile(const SimdCall& call, const BlockParameters& parameters, std::int64_t m, std::int64_t first,
                           std::int64_t valid) {
  using D = typename Decode::D;
  const D d;
  const Problem& p = call.problem;
  const std::int64_t blocks = p.blocks();
  const std::int64_t row_bytes = blocks * p.block_bytes();
  const std::uint8_t* HWY_RESTRICT codes[kColumns];
  const float* HWY_RESTRICT scales[kColumns];
  const float* HWY_RESTRICT zeros[kColumns];
  for (std::size_t c = 0; c < kColumns; ++c) {
    const std::int64_t at = std::min(static_cast<std::int64_t>(c), valid - 1);
    codes[c] = call.args.codes + (first + at) * row_bytes;
    scales[c] = parameters.scales + at * blocks;
    zeros[c] = Decode::kZeroPoints ? parameters.zero_points + at * blocks : nullptr;
  }
  const float* HWY_RESTRICT a[kRows];
  for (std::size_t r = 0; r < kRows; ++r) a[r] = call.split + (m + static_cast<std::int64_t>(r)) * call.padded;

  hn::Vec<D> sums[kColumns][kRows];
  Unroll<kColumns>([&](auto c) GONOGO_INLINE_LAMBDA {
    Unroll<kRows>([&](auto r) GONOGO_INLINE_LAMBDA { sums[c][r] = hn::Zero(d); });
  });
  const std::int64_t steps = Decode::Steps(p);
  // At least a tile ahead: the last column is read from the first step on. Addresses, not pointers: they may lie past
  // the end, where a prefetch does nothing.
  const std::int64_t tile_blocks = static_cast<std::int64_t>(kColumns) * blocks;
  const std::int64_t ahead_blocks = std::max(kPrefetchBytes / p.block_bytes(), tile_blocks);
  const auto step_bytes = kColumns * static_cast<std::uintptr_t>(p.block_bytes());
  auto ahead = reinterpret_cast<std::uintptr_t>(codes[0]) + static_cast<std::uintptr_t>(ahead_blocks * p.block_bytes());
  auto ahead_scales =
      reinterpret_cast<std::uintptr_t>(scales[0]) + static_cast<std::uintptr_t>(ahead_blocks) * sizeof(float);
  for (std::int64_t b = 0; b < blocks; ++b) {
    for (std::uintptr_t line = 0; line < step_bytes; line += 64)
      hwy::Prefetch(reinterpret_cast<const char*>(ahead + line));
    hwy::Prefetch(reinterpret_cast<const char*>(ahead_scales));
    ahead += step_bytes;
    ahead_scales += kColumns * sizeof(float);
    Decode decode[kColumns];
    Unroll<kColumns>([&](auto c) GONOGO_INLINE_LAMBDA {
      decode[c] = Decode(scales[c][b], Decode::kZeroPoints ? zeros[c][b] : 0.0F);
    });
    for (std::int64_t step = b * steps; step < (b + 1) * steps; ++step) {
      Pair<D> w[kColumns];
      Unroll<kColumns>([&](auto c) GONOGO_INLINE_LAMBDA { w[c] = decode[c](codes[c] + step * Decode::kStepBytes); });
      Unroll<kRows>([&](auto r) GONOGO_INLINE_LAMBDA {
        const float* HWY_RESTRICT at = a[r] + step * Decode::kStepValues;
        const auto first_a = hn::Load(d, at);
        Unroll<kColumns>([&](auto c)
                             GONOGO_INLINE_LAMBDA { sums[c][r] = hn::MulAdd(first_a, w[c].first, sums[c][r]); });
        if constexpr (Decode::kPair) {
          const auto second_a = hn::Load(d, at + Decode::kLanes);
          Unroll<kColumns>([&](auto c)
                               GONOGO_INLINE_LAMBDA { sums[c][r] = hn::MulAdd(second_a, w[c].second, sums[c][r]); });
        }
      });
    }
  }
  Unroll<kRows>([&](auto r) GONOGO_INLINE_LAMBDA {
    Unroll<kColumns>([&](auto c) GONOGO_INLINE_LAMBDA {
      if (Signed(c) < valid) Finish(d, call, m + Signed(r), first + Signed(c), sums[c][r]);
    });
  });
}

template <class Decode, std::size_t kRows, std::size_t kColumns>
HWY_NOINLINE void DirectRows(const SimdCall& call, const BlockParameters& parameters, std::int64_t m,
                             const ColumnRange& part) {
  constexpr auto kStep = static_cast<std::int64_t>(kColumns);
  const std::int64_t blocks = call.problem.blocks();
  for (std::int64_t n = part.begin; n < part.end; n += kStep) {
    BlockParameters at = parameters;
    at.scales += (n - part.begin) * blocks;
    if (at.zero_points != nullptr) at.zero_points += (n - part.begin) * blocks;
    DirectTile<Decode, kRows, kColumns>(call, at, m, n, std::min(kStep, part.end - n));
  }
}

// Accumulators, weights and activations fit the register file: 32 registers on AVX-512 and Arm, 16 elsewhere. Eight
// rows at once share a decode more but leave room for two columns only: measured slower than four and four.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM
constexpr std::size_t kColumnsFor1 = 4, kColumnsFor2 = 4, kColumnsFor4 = 4;
constexpr std::size_t kDotRows = 4, kDotColumns = 6;
#else
constexpr std::size_t kColumnsFor1 = 4, kColumnsFor2 = 2, kColumnsFor4 = 2;
constexpr std::size_t kDotRows = 4, kDotColumns = 3;
#endif

template <class Decode>
void DirectColumns(const SimdCall& call, const ColumnRange& columns) {
  const std::int64_t rows = call.problem.m;
  for (std::int64_t n = columns.begin; n < columns.end; n += kColumnTile) {
    ColumnRange part = columns;
    part.begin = n;
    part.end = std::min(n + kColumnTile, columns.end);
    const BlockParameters parameters = ReadParameters(call, columns, n, part.end - n);
    std::int64_t m = 0;
    for (; m + 4 <= rows; m += 4) DirectRows<Decode, 4, kColumnsFor4>(call, parameters, m, part);
    for (; m + 2 <= rows; m += 2) DirectRows<Decode, 2, kColumnsFor2>(call, parameters, m, part);
    for (; m < rows; ++m) DirectRows<Decode, 1, kColumnsFor1>(call, parameters, m, part);
  }
}

/// Blocks [begin, end) of one column's weights as float32, laid out as the activations are.
template <class Decode>
void DequantizeColumn(const SimdCall& call, const BlockParameters& parameters, std::int64_t n, const Range& blocks,
                      float* HWY_RESTRICT to) {
  const typename Decode::D d;
  const Problem& p = call.problem;
  const std::int64_t steps = Decode::Steps(p);
  const std::uint8_t* HWY_RESTRICT codes = call.args.codes + (n * p.blocks() + blocks.begin) * p.block_bytes();
  for (std::int64_t b = blocks.begin; b < blocks.end; ++b) {
    const Decode decode(parameters.scales[b], Decode::kZeroPoints ? parameters.zero_points[b] : 0.0F);
    for (std::int64_t s = 0; s < steps; ++s) {
      const auto w = decode(codes);
      codes += Decode::kStepBytes;
      hn::Store(w.first, d, to);
      if constexpr (Decode::kPair) hn::Store(w.second, d, to + Decode::kLanes);
      to += Decode::kStepValues;
    }
  }
}

/// Where a tile of the panel path stands: kDotColumns columns from `column` on, k in `depth`, rows from `row` on.
struct Dot {
  const float* panel = nullptr;  // [kDotColumns, kPanelDepth]
  float* sums = nullptr;         // [row block, kColumnTile] vectors: accumulators between two stretches of k
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t valid = 0;  // columns that exist
  Range depth;
};

template <class D, std::size_t kRows>
HWY_NOINLINE void DotTile(const SimdCall& call, const Dot& dot) {
  const D d;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
  constexpr std::int64_t kSumRow = kColumnTile * kLanes;
  hn::Vec<D> sums[kRows][kDotColumns];
  const bool first = dot.depth.begin == 0;
  Unroll<kRows>([&](auto r) GONOGO_INLINE_LAMBDA {
    Unroll<kDotColumns>([&](auto c) GONOGO_INLINE_LAMBDA {
      sums[r][c] = first ? hn::Zero(d) : hn::Load(d, dot.sums + Signed(r) * kSumRow + Signed(c) * kLanes);
    });
  });
  const float* HWY_RESTRICT a = call.split + dot.row * call.padded + dot.depth.begin;
  const std::int64_t length = dot.depth.end - dot.depth.begin;
  for (std::int64_t k = 0; k < length; k += kLanes) {
    hn::Vec<D> rows[kRows];
    Unroll<kRows>([&](auto r) GONOGO_INLINE_LAMBDA { rows[r] = hn::Load(d, a + Signed(r) * call.padded + k); });
    Unroll<kDotColumns>([&](auto c) GONOGO_INLINE_LAMBDA {
      const auto w = hn::Load(d, dot.panel + Signed(c) * kPanelDepth + k);
      Unroll<kRows>([&](auto r) GONOGO_INLINE_LAMBDA { sums[r][c] = hn::MulAdd(rows[r], w, sums[r][c]); });
    });
  }
  const bool last = dot.depth.end == call.padded;
  Unroll<kRows>([&](auto r) GONOGO_INLINE_LAMBDA {
    Unroll<kDotColumns>([&](auto c) GONOGO_INLINE_LAMBDA {
      if (!last)
        hn::Store(sums[r][c], d, dot.sums + Signed(r) * kSumRow + Signed(c) * kLanes);
      else if (Signed(c) < dot.valid)
        Finish(d, call, dot.row + Signed(r), dot.column + Signed(c), sums[r][c]);
    });
  });
}

/// The rows of one block against the panel: a tile of weights stays in the first-level cache while the rows pass by.
template <class D>
void DotPanel(const SimdCall& call, const ColumnRange& tile, const Range& rows, const Range& depth) {
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
  constexpr auto kStep = static_cast<std::int64_t>(kDotColumns);
  for (std::int64_t c = 0; c < tile.end - tile.begin; c += kStep) {
    Dot dot{tile.panel + c * kPanelDepth,
            tile.sums + c * kLanes,
            rows.begin,
            tile.begin + c,
            tile.end - tile.begin - c,
            depth};
    const auto advance = [&](std::int64_t count) {
      dot.row += count;
      dot.sums += count * kColumnTile * kLanes;
    };
    for (; dot.row + Signed(kDotRows) <= rows.end; advance(Signed(kDotRows))) DotTile<D, kDotRows>(call, dot);
    for (; dot.row < rows.end; advance(1)) DotTile<D, 1>(call, dot);
  }
}

template <class Decode>
void PanelColumns(const SimdCall& call, const ColumnRange& columns) {
  const Problem& p = call.problem;
  for (std::int64_t m = 0; m < p.m; m += kPanelRows)
    for (std::int64_t n = columns.begin; n < columns.end; n += kColumnTile) {
      ColumnRange tile = columns;
      tile.begin = n;
      tile.end = std::min(n + kColumnTile, columns.end);
      const std::int64_t count = tile.end - n;
      const BlockParameters parameters = ReadParameters(call, columns, n, count);
      // Columns that fill the last tile: their sums are dropped, but nothing uninitialised is read.
      std::fill(tile.panel + count * kPanelDepth, tile.panel + kColumnTile * kPanelDepth, 0.0F);
      for (std::int64_t k = 0; k < call.padded; k += kPanelDepth) {
        const Range depth{k, std::min(k + kPanelDepth, call.padded)};
        for (std::int64_t c = 0; c < count; ++c) {
          BlockParameters at = parameters;
          at.scales += c * p.blocks();
          if (at.zero_points != nullptr) at.zero_points += c * p.blocks();
          DequantizeColumn<Decode>(call, at, n + c, {depth.begin / p.block_size, depth.end / p.block_size},
                                   tile.panel + c * kPanelDepth);
        }
        DotPanel<typename Decode::D>(call, tile, {m, std::min(m + kPanelRows, p.m)}, depth);
      }
      if (call.padded == 0) DotPanel<typename Decode::D>(call, tile, {m, std::min(m + kPanelRows, p.m)}, {});
    }
}

/// Picks the decoder of the problem and hands it to `use`.
template <class Use>
void WithDecoder(const Problem& p, const Use& use) {
  const bool zero_points = p.zero_points != ZeroPoints::none;
  if (p.bits == 8) {
    zero_points ? use(Bytes<Wide, true>()) : use(Bytes<Wide, false>());
  } else if (p.block_size == 16) {
    zero_points ? use(Nibbles<Narrow, true, 16>()) : use(Nibbles<Narrow, false, 16>());
  } else if (p.block_size == 32) {
    zero_points ? use(Nibbles<Wide, true, 32>()) : use(Nibbles<Wide, false, 32>());
  } else {
    zero_points ? use(Nibbles<Wide, true, 0>()) : use(Nibbles<Wide, false, 0>());
  }
}

void Direct(const SimdCall& call, const ColumnRange& columns) {
  WithDecoder(call.problem, [&](auto decode) { DirectColumns<decltype(decode)>(call, columns); });
}

void Panel(const SimdCall& call, const ColumnRange& columns) {
  WithDecoder(call.problem, [&](auto decode) { PanelColumns<decltype(decode)>(call, columns); });
}

const SimdFunctions* Functions() {
  static constexpr SimdFunctions kFunctions{&SplitRows, &Direct, &Panel};
  return &kFunctions;
}

}  // namespace
}  // namespace gonogo::kernels::int4_matmul::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gonogo::kernels::int4_matmul {
HWY_EXPORT(Functions);
const SimdFunctions& simd_functions() { return *HWY_DYNAMIC_DISPATCH(Functions)(); }
}  // namespace gonogo::kernels::int4_matmul
#endif
