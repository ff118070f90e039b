// Plain C++: one query row of the heads of a KV head at a time, in eight partial sums so that a compiler may use what
// vectors it has.
#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/core/half.hpp"
#include "kernels/attention/parts.hpp"

namespace gonogo::kernels::attention {
namespace {

/// The cache row as float32: itself, or converted into `tile`.
const float* row_f32(const Problem& p, const std::byte* rows, std::int64_t key, float* tile) {
  if (p.cache == core::DType::f32) return reinterpret_cast<const float*>(rows) + key * p.head_dim;
  core::f16_to_f32(reinterpret_cast<const std::uint16_t*>(rows) + key * p.head_dim, tile,
                   static_cast<std::size_t>(p.head_dim));
  return tile;
}

float dot(const float* a, const float* b, std::int64_t count) {
  float part[8] = {};
  for (std::int64_t i = 0; i < count; i += 8)
    for (int j = 0; j < 8; ++j) part[j] += a[i + j] * b[i + j];
  return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

/// Scores become exponentials; returns the inverse of their sum, 0 when there is nothing to weigh.
float softmax(float* score, std::int64_t count, const ExtraTerm& extra) {
  float top = extra.present ? extra.logit : -std::numeric_limits<float>::infinity();
  for (std::int64_t i = 0; i < count; ++i) top = score[i] > top ? score[i] : top;
  // Every key masked away by an infinite bias: the terms are zero, and so is the row. A NaN score stays one.
  if (std::isinf(top) && top < 0) top = 0.0f;
  float sum = extra.present ? std::exp(extra.logit - top) : 0.0f;
  for (std::int64_t i = 0; i < count; ++i) {
    score[i] = std::exp(score[i] - top);
    sum += score[i];
  }
  return sum == 0.0f ? 0.0f : 1.0f / sum;
}

}  // namespace

void attend_portable(const Problem& p, const Args& args, const Unit& unit, const UnitScratch& scratch) {
  const std::byte* keys = cache_rows(p, args.keys, unit.batch, unit.head);
  const std::byte* values = cache_rows(p, args.values, unit.batch, unit.head);
  const auto [begin, end] = keys_of(p, args.first[unit.batch], args.valid[unit.batch], unit.row);
  const auto score_of = [&](std::int64_t head) { return scratch.scores + (head - unit.head) * scratch.score_stride; };
  const auto out_of = [&](std::int64_t head) { return args.output.at(unit.batch, unit.row, head); };
  const std::int64_t last_head = unit.head + unit.heads;

  for (std::int64_t key = begin; key < end; ++key) {
    const float* k = row_f32(p, keys, key, scratch.tile);
    for (std::int64_t head = unit.head; head < last_head; ++head) {
      float s = dot(args.query.at(unit.batch, unit.row, head), k, p.head_dim) * p.scale;
      if (p.softcap != 0.0f) s = p.softcap * std::tanh(s / p.softcap);
      if (args.bias.data != nullptr) s += args.bias.at(unit.batch, unit.row, head)[key];
      score_of(head)[key - begin] = s;
    }
  }
  for (std::int64_t head = unit.head; head < last_head; ++head) {
    std::fill_n(out_of(head), p.head_dim, 0.0f);
    const float scale = softmax(score_of(head), end - begin, extra_term(p, args, head));
    for (std::int64_t i = 0; i < end - begin; ++i) score_of(head)[i] *= scale;
  }
  for (std::int64_t key = begin; key < end; ++key) {
    const float* v = row_f32(p, values, key, scratch.tile);
    for (std::int64_t head = unit.head; head < last_head; ++head) {
      float* out = out_of(head);
      const float weight = score_of(head)[key - begin];
      for (std::int64_t i = 0; i < p.head_dim; ++i) out[i] += weight * v[i];
    }
  }
}

}  // namespace gonogo::kernels::attention
