#include "tests/gpu/attention_case.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace gonogo::tests {

using kernels::attention::cuda::Args;
using kernels::attention::cuda::Problem;

namespace {

std::vector<float> floats(core::DType type, std::int64_t count, double sigma, unsigned seed) {
  const std::vector<double> drawn = normals(type, static_cast<std::size_t>(count), sigma, seed);
  return {drawn.begin(), drawn.end()};
}
Bytes encode_floats(core::DType type, const std::vector<float>& values) {
  return encode(type, {values.begin(), values.end()});
}
std::vector<std::byte> raw(const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
std::vector<float> unraw(const std::vector<std::byte>& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

kernels::attention::Problem reference_problem(const Problem& p) {
  kernels::attention::Problem r;
  r.rows = p.rows;
  r.heads = p.heads;
  r.kv_heads = p.kv_heads;
  r.head_dim = p.head_dim;
  r.capacity = p.capacity;
  r.causal = p.causal;
  r.window = p.window;
  r.scale = p.scale != 0 ? p.scale : 1.0f / std::sqrt(static_cast<float>(p.head_dim));
  r.softcap = p.softcap;
  r.smooth_softmax = p.smooth_softmax;
  return r;
}

/// The device's bytes again from the reference's numbers.
void encode_case(AttentionCase& c) {
  const Problem& p = c.problem;
  c.query = encode_floats(p.type, c.reference.query);
  c.keys = encode_floats(p.type, unraw(c.reference.keys));
  c.values = encode_floats(p.type, unraw(c.reference.values));
  c.sink = encode_floats(p.type, c.reference.sinks);
  if (p.bias_heads == 0) return;
  const std::int64_t stride = p.bias_row_stride != 0 ? p.bias_row_stride : c.last_valid + 1;
  std::vector<float> tight(static_cast<std::size_t>(p.bias_heads * p.rows * stride), std::nanf(""));
  for (std::int64_t line = 0; line < p.bias_heads * p.rows; ++line)
    for (std::int64_t key = 0; key <= c.last_valid; ++key)
      tight[static_cast<std::size_t>(line * stride + key)] =
          c.reference.bias[static_cast<std::size_t>(line * p.capacity + key)];
  c.bias = encode_floats(p.type, tight);
}

}  // namespace

AttentionCase make_attention_case(const Problem& p, std::int64_t past, unsigned seed) {
  AttentionCase c;
  c.problem = p;
  c.last_valid = static_cast<std::int32_t>(past + p.rows - 1);
  kernels::reference::AttentionCase& r = c.reference;
  r.problem = reference_problem(p);
  r.first = {past};
  r.valid = {past + p.rows};
  r.query = floats(p.type, p.rows * p.heads * p.head_dim, 1.5, seed);
  for (auto* cache : {&r.keys, &r.values}) {
    std::vector<float> rows = floats(p.type, p.kv_heads * p.capacity * p.head_dim, 1.0, ++seed);
    for (std::int64_t head = 0; head < p.kv_heads; ++head)
      std::fill(rows.begin() + (head * p.capacity + past + p.rows) * p.head_dim,
                rows.begin() + (head + 1) * p.capacity * p.head_dim, std::nanf(""));
    *cache = raw(rows);
  }
  if (p.head_sink) r.sinks = floats(p.type, p.heads, 2.0, seed + 5);
  if (p.bias_heads > 0) {
    const std::vector<float> plane = floats(p.type, p.bias_heads * p.rows * p.capacity, 1.0, seed + 6);
    const auto size = static_cast<std::ptrdiff_t>(p.rows * p.capacity);
    for (std::int64_t head = 0; head < p.heads; ++head) {
      const auto from = plane.begin() + (p.bias_heads == 1 ? 0 : head * size);
      r.bias.insert(r.bias.end(), from, from + size);
    }
  }
  encode_case(c);
  return c;
}

AttentionCase single_row(const AttentionCase& c, std::int64_t row, std::int64_t capacity) {
  const Problem& p = c.problem;
  AttentionCase one = c;
  one.problem.rows = one.reference.problem.rows = 1;
  one.problem.capacity = one.reference.problem.capacity = capacity;
  one.last_valid = static_cast<std::int32_t>(c.reference.first[0] + row);
  one.reference.first = {c.reference.first[0] + row};
  one.reference.valid = {c.reference.first[0] + row + 1};
  const std::int64_t width = p.heads * p.head_dim;
  one.reference.query.assign(c.reference.query.begin() + row * width, c.reference.query.begin() + (row + 1) * width);
  const auto cut = [&](const std::vector<std::byte>& bytes) {
    const std::vector<float> all = unraw(bytes);
    std::vector<float> rows(static_cast<std::size_t>(p.kv_heads * capacity * p.head_dim), std::nanf(""));
    for (std::int64_t head = 0; head < p.kv_heads; ++head)
      std::copy_n(all.begin() + head * p.capacity * p.head_dim, (one.last_valid + 1) * p.head_dim,
                  rows.begin() + head * capacity * p.head_dim);
    return raw(rows);
  };
  one.reference.keys = cut(c.reference.keys);
  one.reference.values = cut(c.reference.values);
  if (p.bias_heads > 0) {
    one.reference.bias.assign(static_cast<std::size_t>(p.heads * capacity), 0.0f);
    for (std::int64_t head = 0; head < p.heads; ++head)
      std::copy_n(c.reference.bias.begin() + (head * p.rows + row) * p.capacity, one.last_valid + 1,
                  one.reference.bias.begin() + head * capacity);
  }
  encode_case(one);
  return one;
}

AttentionExpectation expected(const AttentionCase& c, Weights weights) {
  const Problem& p = c.problem;
  const kernels::reference::AttentionExpected float32 = attention_expected(c.reference);
  AttentionExpectation e{float32.value, float32.bound};
  if (weights == Weights::rounded) {
    kernels::reference::AttentionCase magnitudes = c.reference;
    std::vector<float> values = unraw(magnitudes.values);
    float largest = 0.0f;
    for (float& v : values) {
      v = std::abs(v);
      if (v > largest) largest = v;
    }
    magnitudes.values = raw(values);
    const std::vector<double> weighed = attention_expected(magnitudes).value;
    const double unit = std::ldexp(1.0, p.type == core::DType::f16 ? -11 : -8);
    const double smallest = half_ulp(p.type, 0.0) * (c.last_valid + 1) * static_cast<double>(largest);
    for (std::size_t i = 0; i < e.bound.size(); ++i) e.bound[i] += 2 * (unit * weighed[i] + smallest);
  }
  for (std::size_t i = 0; i < e.bound.size(); ++i) e.bound[i] += half_ulp(p.type, std::abs(e.value[i]) + e.bound[i]);
  return e;
}

AttentionCase with_one_value_wrong(AttentionCase c) {
  // The value's share shows when everything else is zero: row 0, head 0 of a case with one value left.
  const Problem& p = c.problem;
  std::vector<float> values = unraw(c.reference.values);
  kernels::reference::AttentionCase ones = c.reference;
  double best = 0;
  std::size_t at = 0;
  for (std::int64_t key = 0; key <= c.last_valid; ++key) {
    std::vector<float> indicator(values.size(), 0.0f);
    indicator[static_cast<std::size_t>(key * p.head_dim)] = 1.0f;
    ones.values = raw(indicator);
    ones.problem.rows = 1;  // the row that is looked at
    const double weight = attention_expected(ones).value[0];
    for (std::int64_t d = 0; d < p.head_dim; ++d) {
      const auto index = static_cast<std::size_t>(key * p.head_dim + d);
      if (weight * std::abs(values[index]) > best) best = weight * std::abs(values[index]), at = index;
    }
  }
  values[at] = -values[at];
  c.reference.values = raw(values);
  encode_case(c);
  return c;
}

AttentionDevice::AttentionDevice(const AttentionCase& c, core::StreamRef stream)
    : query(c.query, stream),
      keys(c.keys, stream),
      values(c.values, stream),
      last_valid(bytes_of_vector(std::vector<std::int32_t>{c.last_valid}), stream),
      sink(c.sink, stream),
      bias(c.bias, stream),
      workspace(split_workspace_bytes(c.problem), stream),
      y(c.query.size(), stream) {}

Args AttentionDevice::args() const {
  Args args;
  args.query = query.data();
  args.key_cache = keys.data();
  args.value_cache = values.data();
  args.last_valid = last_valid.as<std::int32_t>();
  args.sink = sink.data();
  args.bias = bias.data();
  args.y = y.data();
  args.workspace = workspace.data();
  return args;
}

}  // namespace gonogo::tests
