#include "kernels/attention/attention.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>

#include "kernels/attention/parts.hpp"

namespace gonogo::kernels::attention {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// How a problem is cut into units. The cut changes which thread computes a row, never its bits.
struct Cut {
  std::int64_t group = 1;  // query heads per KV head
  std::int64_t heads = 1;  // of a unit
  std::int64_t rows = 1;   // of a unit
  std::int64_t head_parts = 1, row_parts = 1;
  std::int64_t units = 1;
};

Cut cut_of(Variant variant, const Problem& p, Threads threads) {
  Cut cut;
  cut.group = p.heads / p.kv_heads;
  cut.heads = std::min(cut.group, kUnitVectors);
  if (variant == Variant::simd)
    cut.rows = std::clamp<std::int64_t>(kUnitVectors / cut.heads, 1, std::max<std::int64_t>(p.rows, 1));
  const auto count = [&] {
    cut.head_parts = ceil_div(cut.group, cut.heads);
    cut.row_parts = ceil_div(p.rows, cut.rows);
    cut.units = p.batch * p.kv_heads * cut.head_parts * cut.row_parts;
    return cut.units;
  };
  while (count() < threads.count && cut.rows * cut.heads > 1) {
    if (cut.rows > 1)
      cut.rows = ceil_div(cut.rows, 2);
    else
      cut.heads = ceil_div(cut.heads, 2);
  }
  return cut;
}

Unit unit_of(const Problem& p, const Cut& cut, std::int64_t index) {
  Unit unit;
  // Later rows see more keys: started first, so that the last units to finish are short.
  const std::int64_t row_part = cut.row_parts - 1 - index % cut.row_parts;
  index /= cut.row_parts;
  const std::int64_t head_part = index % cut.head_parts;
  index /= cut.head_parts;
  const std::int64_t kv_head = index % p.kv_heads;
  unit.batch = index / p.kv_heads;
  unit.row = row_part * cut.rows;
  unit.rows = std::min(cut.rows, p.rows - unit.row);
  unit.head = kv_head * cut.group + head_part * cut.heads;
  unit.heads = std::min(cut.heads, (kv_head + 1) * cut.group - unit.head);
  return unit;
}

/// Threads worth starting: a team costs more than a few thousand keys' work.
int team_of(const Problem& p, const Args& args, const Cut& cut, Threads threads) {
  std::int64_t longest = 0;
  for (std::int64_t b = 0; b < p.batch; ++b) longest = std::max(longest, args.valid[b]);
  constexpr std::int64_t kSmall = 200'000;  // multiply-adds
  if (p.batch * p.rows * p.heads * longest * p.head_dim < kSmall) return 1;
  return static_cast<int>(std::min<std::int64_t>(threads.count, cut.units));
}

}  // namespace

std::string_view name_of(Variant variant) { return variant == Variant::simd ? "simd" : "portable"; }

KeyRange keys_of(const Problem& problem, std::int64_t first, std::int64_t valid, std::int64_t row) {
  const std::int64_t end = problem.causal ? std::clamp<std::int64_t>(first + row + 1, 0, valid) : valid;
  if (problem.window < 0) return {0, end};
  return {std::max<std::int64_t>(0, end - problem.window), end};
}

core::Eligibility eligible(const Problem& p) {
  if (p.kv_heads < 1 || p.heads < 1 || p.heads % p.kv_heads != 0)
    return core::refuse("query heads, a positive multiple of the KV heads", fmt::format("a multiple of {}", p.kv_heads),
                        fmt::format("{}", p.heads));
  if (p.head_dim < 8 || p.head_dim % 8 != 0)
    return core::refuse("head size, a positive multiple of", "8", fmt::format("{}", p.head_dim));
  if (p.cache != core::DType::f32 && p.cache != core::DType::f16)
    return core::refuse("cache type, one of", "float32, float16", std::string(core::name_of(p.cache)));
  if (p.window < -1) return core::refuse("window, at least", "-1", fmt::format("{}", p.window));
  return core::accept();
}

UnitScratch take_scratch(core::Scratch& scratch, const Problem& p) {
  UnitScratch unit;
  unit.score_stride = p.capacity + kScorePad;
  unit.scores = scratch.take<float>(kUnitVectors * unit.score_stride);
  unit.tile = scratch.take<float>(kTileRows * p.head_dim);
  return unit;
}

std::size_t workspace_bytes(const Problem& p, Threads threads) {
  core::Scratch counter;
  for (int t = 0; t < threads.count; ++t) (void)take_scratch(counter, p);
  return counter.used();
}

void attend(Variant variant, const Problem& p, const Args& args, std::span<std::byte> workspace, Threads threads) {
  const core::Eligibility ok = eligible(p);
  GONOGO_EXPECT(static_cast<bool>(ok), core::to_string(ok.reason()));
  for (std::int64_t b = 0; b < p.batch; ++b)
    GONOGO_EXPECT(args.valid[b] >= 0 && args.valid[b] <= p.capacity,
                  fmt::format("{} valid rows of {}", args.valid[b], p.capacity));
  const std::size_t wanted = workspace_bytes(p, threads);
  GONOGO_EXPECT(workspace.size() >= wanted, fmt::format("workspace of {} bytes, wanted {}", workspace.size(), wanted));
  const Cut cut = cut_of(variant, p, threads);
  const std::size_t share = wanted / static_cast<std::size_t>(threads.count);
  const int team = team_of(p, args, cut, threads);
#pragma omp parallel for num_threads(team) schedule(dynamic, 1) if (team > 1)
  for (std::int64_t index = 0; index < cut.units; ++index) {
    core::Scratch scratch(workspace.subspan(share * static_cast<std::size_t>(omp_get_thread_num()), share));
    const UnitScratch mine = take_scratch(scratch, p);
    const Unit unit = unit_of(p, cut, index);
    if (variant == Variant::simd)
      attend_simd(p, args, unit, mine);
    else
      attend_portable(p, args, unit, mine);
  }
}

core::Work work(const Problem& p, std::int64_t keys) {
  core::Work work;
  work.activation_bytes = 2 * 4 * p.batch * p.rows * p.heads * p.head_dim;
  work.kv_bytes = 2 * static_cast<std::int64_t>(core::bytes_of(p.cache, p.batch * p.kv_heads * keys * p.head_dim));
  work.flops = 4 * p.batch * p.rows * p.heads * keys * p.head_dim;
  return work;
}

}  // namespace gonogo::kernels::attention
