// What attention.cpp schedules and the two variants compute; private to this family.
#pragma once

#include "kernels/attention/attention.hpp"

namespace gonogo::kernels::attention {

/// Query vectors that share their keys: rows [row, row + rows) of heads [head, head + heads), all of one KV head.
struct Unit {
  std::int64_t batch = 0, row = 0, rows = 1, head = 0, heads = 1;
};

inline constexpr std::int64_t kUnitVectors = 8;  // most query vectors of a unit: a tile is read from L1 this often
inline constexpr std::int64_t kTileRows = 64;    // cache rows converted at a time
inline constexpr std::int64_t kScorePad = 64;    // whole vectors may be stored past the last score

/// A thread's scratch.
struct UnitScratch {
  float* scores = nullptr;  // [kUnitVectors, score_stride]
  std::int64_t score_stride = 0;
  float* tile = nullptr;  // [kTileRows, head_dim]
};
[[nodiscard]] UnitScratch take_scratch(core::Scratch& scratch, const Problem& problem);

void attend_portable(const Problem& problem, const Args& args, const Unit& unit, const UnitScratch& scratch);
void attend_simd(const Problem& problem, const Args& args, const Unit& unit, const UnitScratch& scratch);

/// The term that smooth softmax (0) or a head sink adds to the denominator.
struct ExtraTerm {
  bool present = false;
  float logit = 0.0f;
};
[[nodiscard]] inline ExtraTerm extra_term(const Problem& problem, const Args& args, std::int64_t head) {
  if (args.sinks != nullptr) return {true, args.sinks[head]};
  return {problem.smooth_softmax, 0.0f};
}

/// First byte of the cache rows of (batch, KV head of `head`).
[[nodiscard]] inline const std::byte* cache_rows(const Problem& problem, const std::byte* cache, std::int64_t b,
                                                 std::int64_t head) {
  const std::int64_t kv_head = head / (problem.heads / problem.kv_heads);
  const std::int64_t elements = (b * problem.kv_heads + kv_head) * problem.capacity * problem.head_dim;
  return cache + core::bytes_of(problem.cache, elements);
}

}  // namespace gonogo::kernels::attention
