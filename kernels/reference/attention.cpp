#include "kernels/reference/attention.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "harness/core/half.hpp"

namespace gonogo::kernels::reference {
namespace {

constexpr double kU = 0x1p-24;
double gamma_of(double i) { return i * kU / (1 - i * kU); }

double cache_value(const attention::Problem& p, const std::vector<std::byte>& cache, std::int64_t index) {
  if (p.cache == core::DType::f32) return reinterpret_cast<const float*>(cache.data())[index];
  return core::f16_to_f32(reinterpret_cast<const std::uint16_t*>(cache.data())[index]);
}

/// One query vector: its softmax weights and their relative errors.
struct Weights {
  std::vector<double> p, error;  // per key of the range
  attention::KeyRange range;
};

Weights weights_of(const AttentionCase& c, std::int64_t b, std::int64_t row, std::int64_t head) {
  const attention::Problem& p = c.problem;
  const attention::Args args = c.args(nullptr);
  Weights w;
  w.range = attention::keys_of(p, c.first[static_cast<std::size_t>(b)], c.valid[static_cast<std::size_t>(b)], row);
  const float* q = args.query.at(b, row, head);
  const std::int64_t base = (b * p.kv_heads + head / (p.heads / p.kv_heads)) * p.capacity;
  double top = -std::numeric_limits<double>::infinity();
  for (std::int64_t key = w.range.begin; key < w.range.end; ++key) {
    double dot = 0, magnitude = 0;
    for (std::int64_t i = 0; i < p.head_dim; ++i) {
      const double term = static_cast<double>(q[i]) * cache_value(p, c.keys, (base + key) * p.head_dim + i);
      dot += term;
      magnitude += std::abs(term);
    }
    double s = dot * static_cast<double>(p.scale);
    double error =
        (gamma_of(static_cast<double>(p.head_dim) + 2) + kU) * std::abs(static_cast<double>(p.scale)) * magnitude;
    const double cap = p.softcap;
    if (cap != 0) s = cap * std::tanh(s / cap), error += 16 * kU * cap;
    if (args.bias.data != nullptr) s += args.bias.at(b, row, head)[key];
    w.p.push_back(s);
    w.error.push_back(error + 2 * kU * std::abs(s));
    top = std::max(top, s);
  }
  const bool extra = !c.sinks.empty() || p.smooth_softmax;
  const double logit = c.sinks.empty() ? 0.0 : static_cast<double>(c.sinks[static_cast<std::size_t>(head)]);
  if (extra) top = std::max(top, logit);
  double sum = extra ? std::exp(logit - top) : 0.0;
  for (std::size_t k = 0; k < w.p.size(); ++k) {
    const double distance = std::abs(w.p[k] - top);
    w.error[k] = std::isinf(distance) ? 0.0 : std::expm1(w.error[k] + kU * distance) + 5 * kU;
    w.p[k] = std::exp(w.p[k] - top);
    sum += w.p[k];
  }
  for (double& value : w.p) value /= sum;
  return w;
}

}  // namespace

attention::Args AttentionCase::args(float* output) const {
  const attention::Problem& p = problem;
  const std::int64_t d = p.head_dim;
  attention::Args args;
  args.query = {query.data(), p.rows * p.heads * d, p.heads * d, d};
  args.output = {output, p.rows * p.heads * d, p.heads * d, d};
  args.keys = keys.data();
  args.values = values.data();
  args.first = first.data();
  args.valid = valid.data();
  if (!bias.empty()) args.bias = {bias.data(), p.heads * p.rows * p.capacity, p.capacity, p.rows * p.capacity};
  if (!sinks.empty()) args.sinks = sinks.data();
  return args;
}

AttentionCase attention_case(const attention::Problem& problem, std::int64_t past, AttentionExtras extras,
                             std::uint64_t seed) {
  AttentionCase c;
  c.problem = problem;
  const attention::Problem& p = problem;
  std::mt19937_64 engine(seed);
  const auto draw = [&](float width) { return width * (static_cast<float>(engine() >> 40) * 0x1p-23f - 1.0f); };
  c.query.resize(static_cast<std::size_t>(p.batch * p.rows * p.heads * p.head_dim));
  for (float& v : c.query) v = draw(1.75f);
  for (auto* cache : {&c.keys, &c.values}) {
    cache->assign(core::bytes_of(p.cache, p.batch * p.kv_heads * p.capacity * p.head_dim), std::byte{0xff});  // NaN
    for (std::int64_t plane = 0; plane < p.batch * p.kv_heads; ++plane) {
      const std::int64_t valid = past + plane / p.kv_heads + p.rows;
      for (std::int64_t i = 0; i < valid * p.head_dim; ++i) {
        const std::int64_t at = plane * p.capacity * p.head_dim + i;
        const float v = draw(1.75f);
        if (p.cache == core::DType::f32)
          reinterpret_cast<float*>(cache->data())[at] = v;
        else
          reinterpret_cast<std::uint16_t*>(cache->data())[at] = core::f32_to_f16(v);
      }
    }
  }
  for (std::int64_t b = 0; b < p.batch; ++b) {
    c.first.push_back(past + b);
    c.valid.push_back(past + b + p.rows);
  }
  if (extras.bias) {
    c.bias.resize(static_cast<std::size_t>(p.batch * p.heads * p.rows * p.capacity));
    for (float& v : c.bias) v = draw(1.0f);
  }
  if (extras.sinks)
    for (std::int64_t h = 0; h < p.heads; ++h) c.sinks.push_back(draw(2.0f));
  return c;
}

AttentionExpected attention_expected(const AttentionCase& c) {
  const attention::Problem& p = c.problem;
  AttentionExpected expected;
  for (std::int64_t b = 0; b < p.batch; ++b)
    for (std::int64_t row = 0; row < p.rows; ++row)
      for (std::int64_t head = 0; head < p.heads; ++head) {
        const Weights w = weights_of(c, b, row, head);
        const std::int64_t base = (b * p.kv_heads + head / (p.heads / p.kv_heads)) * p.capacity;
        const auto n = static_cast<double>(w.p.size());
        const double worst = w.error.empty() ? 0.0 : *std::max_element(w.error.begin(), w.error.end());
        for (std::int64_t i = 0; i < p.head_dim; ++i) {
          double value = 0, bound = 0, largest = 0;
          for (std::size_t k = 0; k < w.p.size(); ++k) {
            const double v =
                cache_value(p, c.values, (base + w.range.begin + static_cast<std::int64_t>(k)) * p.head_dim + i);
            value += w.p[k] * v;
            bound += w.p[k] * std::abs(v) * (w.error[k] + worst + 2 * gamma_of(n + 10));
            largest = std::max(largest, std::abs(v));
          }
          expected.value.push_back(value);
          expected.bound.push_back(bound + n * 0x1p-126 * largest);
        }
      }
  return expected;
}

}  // namespace gonogo::kernels::reference
