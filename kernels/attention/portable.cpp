// Plain C++: one query vector at a time, sums in eight partial sums so that a compiler may use what vectors it has.
#include <cmath>
#include <limits>

#include "harness/core/half.hpp"
#include "kernels/attention/parts.hpp"

namespace gonogo::kernels::attention {
namespace {

/// The cache row as float32: itself, or converted into `tile`.
const float* row_f32(const Problem& p, const std::byte* rows, std::int64_t key, float* tile) {
  if (p.cache == core::DType::f32) return reinterpret_cast<const float*>(rows) + key * p.head_dim;
  core::f16_to_f32(reinterpret_cast<const std::uint16_t*>(rows) + key * p.head_dim, tile, static_cast<std::size_t>(p.head_dim));
  return tile;
}

float dot(const float* a, const float* b, std::int64_t count) {
  float part[8] = {};
  for (std::int64_t i = 0; i < count; i += 8)
    for (int j = 0; j < 8; ++j) part[j] += a[i + j] * b[i + j];
  return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

}  // namespace

void attend_portable(const Problem& p, const Args& args, const Unit& unit, const UnitScratch& scratch) {
  const std::byte* keys = cache_rows(p, args.keys, unit.batch, unit.head);
  const std::byte* values = cache_rows(p, args.values, unit.batch, unit.head);
  const auto [begin, end] = keys_of(p, args.first[unit.batch], args.valid[unit.batch], unit.row);
  const float* q = args.query.at(unit.batch, unit.row, unit.head);
  float* out = args.output.at(unit.batch, unit.row, unit.head);
  const float* bias = args.bias.data == nullptr ? nullptr : args.bias.at(unit.batch, unit.row, unit.head);
  float* score = scratch.scores;
  const ExtraTerm extra = extra_term(p, args, unit.head);

  for (std::int64_t i = 0; i < p.head_dim; ++i) out[i] = 0.0f;
  float top = extra.present ? extra.logit : -std::numeric_limits<float>::infinity();
  for (std::int64_t key = begin; key < end; ++key) {
    float s = dot(q, row_f32(p, keys, key, scratch.tile), p.head_dim) * p.scale;
    if (p.softcap != 0.0f) s = p.softcap * std::tanh(s / p.softcap);
    if (bias != nullptr) s += bias[key];
    score[key - begin] = s;
    top = s > top ? s : top;
  }
  // Every key masked away by an infinite bias: the terms are zero, and so is the row. A NaN score stays one.
  if (std::isinf(top) && top < 0) top = 0.0f;
  float sum = extra.present ? std::exp(extra.logit - top) : 0.0f;
  for (std::int64_t key = begin; key < end; ++key) {
    const float e = std::exp(score[key - begin] - top);
    sum += e;
    const float* v = row_f32(p, values, key, scratch.tile);
    for (std::int64_t i = 0; i < p.head_dim; ++i) out[i] += e * v[i];
  }
  if (sum == 0.0f) return;
  const float inverse = 1.0f / sum;
  for (std::int64_t i = 0; i < p.head_dim; ++i) out[i] *= inverse;
}

}  // namespace gonogo::kernels::attention
