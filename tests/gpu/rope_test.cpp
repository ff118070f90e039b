#include <cmath>

#include "kernels/rope/cuda/rope_append.hpp"
#include "kernels/rope/cuda/rotate.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/gpu_test.hpp"

using namespace gonogo;
using namespace gonogo::tests;
using namespace gonogo::kernels::rope::cuda;
using core::DType;
using kernels::Overlap;

namespace {

struct Tables {
  std::vector<double> cos, sin;
};
Tables tables_of(DType type, std::int64_t rows, std::int64_t half) {
  Tables t;
  for (std::int64_t position = 0; position < rows; ++position)
    for (std::int64_t i = 0; i < half; ++i) {
      const double angle =
          static_cast<double>(position) * std::pow(100.0, -static_cast<double>(i) / static_cast<double>(half));
      t.cos.push_back(std::cos(angle));
      t.sin.push_back(std::sin(angle));
    }
  for (auto* side : {&t.cos, &t.sin}) *side = decode(type, encode(type, *side));
  return t;
}

struct Rotated {
  std::vector<double> value, bound;
};
/// Two products and a sum in float32, each rounded or not, then the type's rounding.
Rotated rotate_head(DType type, const double* x, const Tables& t, std::int64_t position, const Problem& p) {
  Rotated r{{x, x + p.head_dim}, std::vector<double>(static_cast<std::size_t>(p.head_dim), 0.0)};
  const std::int64_t half = p.rotary_dim / 2;
  for (std::int64_t i = 0; i < half; ++i) {
    const auto a = static_cast<std::size_t>(p.interleaved ? 2 * i : i);
    const auto b = static_cast<std::size_t>(p.interleaved ? 2 * i + 1 : i + half);
    const double c = t.cos[static_cast<std::size_t>(position * half + i)];
    const double s = t.sin[static_cast<std::size_t>(position * half + i)];
    r.value[a] = x[a] * c - x[b] * s;
    r.value[b] = x[b] * c + x[a] * s;
    r.bound[a] = std::ldexp(2 * (std::abs(x[a] * c) + std::abs(x[b] * s)), -24);
    r.bound[b] = std::ldexp(2 * (std::abs(x[b] * c) + std::abs(x[a] * s)), -24);
    for (const std::size_t at : {a, b}) r.bound[at] += half_ulp(type, std::abs(r.value[at]) + r.bound[at]);
  }
  for (double& bound : r.bound) bound += 1e-300;  // a passed element must be exact
  return r;
}

void append(Rotated& to, const Rotated& from) {
  to.value.insert(to.value.end(), from.value.begin(), from.value.end());
  to.bound.insert(to.bound.end(), from.bound.begin(), from.bound.end());
}

struct AppendCase {
  Problem problem;
  std::int32_t last_valid = 0;
  std::vector<std::int64_t> positions;  // empty: from the cache
  bool packed = true;
};

struct AppendRun {
  Bytes rotated, keys, values;
  std::vector<double> qkv;  // [rows, heads + 2 kv_heads, head_dim]
  Tables tables;
};

AppendRun run_append(const AppendCase& c, Overlap overlap = Overlap::off, bool in_place = false) {
  const Problem& p = c.problem;
  const core::Stream stream;
  AppendRun run;
  const std::int64_t width = (p.heads + 2 * p.kv_heads) * p.head_dim;
  run.qkv = normals(p.type, static_cast<std::size_t>(p.rows * width), 1.0, 5);
  run.tables = tables_of(p.type, p.table_rows, p.rotary_dim / 2);
  const auto part = [&](std::int64_t first, std::int64_t heads) {
    std::vector<double> out;
    for (std::int64_t row = 0; row < p.rows; ++row)
      out.insert(out.end(), run.qkv.begin() + row * width + first * p.head_dim,
                 run.qkv.begin() + row * width + (first + heads) * p.head_dim);
    return encode(p.type, out);
  };
  const DeviceArray packed(encode(p.type, run.qkv), stream), query(part(0, p.heads), stream),
      key(part(p.heads, p.kv_heads), stream), value(part(p.heads + p.kv_heads, p.kv_heads), stream),
      cos(encode(p.type, run.tables.cos), stream), sin(encode(p.type, run.tables.sin), stream),
      last_valid(bytes_of_vector(std::vector<std::int32_t>{c.last_valid}), stream),
      positions(bytes_of_vector(c.positions), stream);
  DeviceArray rotated(core::bytes_of(p.type, p.rows * p.heads * p.head_dim), stream);
  const std::size_t cache_bytes = core::bytes_of(p.type, p.kv_heads * p.capacity * p.head_dim);
  const DeviceArray keys(cache_bytes, stream), values(cache_bytes, stream);
  Args args{query.data(),           key.data(), value.data(), p.heads * p.head_dim, p.kv_heads * p.head_dim,
            p.kv_heads * p.head_dim};
  if (c.packed) set_packed_qkv(p, packed.data(), args);
  args.cos = cos.data();
  args.sin = sin.data();
  args.last_valid = last_valid.as<std::int32_t>();
  args.positions = c.positions.empty() ? nullptr : positions.as<std::int64_t>();
  args.rotated = in_place ? query.data() : rotated.data();
  args.key_cache = keys.data();
  args.value_cache = values.data();
  args.overlap = overlap;
  if (in_place) {
    rope_append(p, args, stream);
    run.rotated = query.download();
  } else {
    run.rotated = run_all_ways(stream, rotated, [&] { rope_append(p, args, stream); });
  }
  for (const DeviceArray* array : {&keys, &values}) CHECK(array->guards_intact());
  run.keys = keys.download();
  run.values = values.download();
  return run;
}

/// Checks queries, the cache's new rows, and that no other row of the cache was touched (it is NaN, bytes 0xff).
void check_append(const AppendCase& c) {
  const Problem& p = c.problem;
  const AppendRun run = run_append(c);
  const std::size_t row_bytes = core::bytes_of(p.type, p.head_dim);
  const auto position_of = [&](std::int64_t row) {
    return c.positions.empty() ? c.last_valid - p.rows + 1 + row : c.positions[static_cast<std::size_t>(row)];
  };
  const auto head_at = [&](std::int64_t row, std::int64_t head) {
    return run.qkv.data() + (row * (p.heads + 2 * p.kv_heads) + head) * p.head_dim;
  };
  Rotated queries, keys;
  std::vector<double> got_keys;
  for (std::int64_t row = 0; row < p.rows; ++row)
    for (std::int64_t head = 0; head < p.heads; ++head)
      append(queries, rotate_head(p.type, head_at(row, head), run.tables, position_of(row), p));
  Bytes untouched_keys = run.keys, untouched_values = run.values;
  for (std::int64_t row = 0; row < p.rows; ++row)
    for (std::int64_t head = 0; head < p.kv_heads; ++head) {
      const std::int64_t place = c.last_valid - p.rows + 1 + row;
      if (place >= p.capacity) continue;
      const auto at = static_cast<std::ptrdiff_t>(row_bytes) * (head * p.capacity + place);
      const auto row_of = [&](const Bytes& cache) {
        return Bytes(cache.begin() + at, cache.begin() + at + static_cast<std::ptrdiff_t>(row_bytes));
      };
      append(keys, rotate_head(p.type, head_at(row, p.heads + head), run.tables, position_of(row), p));
      const std::vector<double> key = decode(p.type, row_of(run.keys));
      got_keys.insert(got_keys.end(), key.begin(), key.end());
      const double* value = head_at(row, p.heads + p.kv_heads + head);
      CHECK(row_of(run.values) == encode(p.type, {value, value + p.head_dim}));
      for (Bytes* cache : {&untouched_keys, &untouched_values})
        std::fill(cache->begin() + at, cache->begin() + at + static_cast<std::ptrdiff_t>(row_bytes), std::byte{0xff});
    }
  const Difference of_queries = compare(decode(p.type, run.rotated), queries.value, queries.bound);
  const Difference of_keys = compare(got_keys, keys.value, keys.bound);
  CAPTURE(p.rows, p.heads, p.head_dim, p.rotary_dim, p.interleaved, c.packed, of_queries.text, of_keys.text);
  CHECK(of_queries.non_finite + of_keys.non_finite == 0);
  CHECK(of_queries.worst_ratio <= 1.0);
  CHECK(of_keys.worst_ratio <= 1.0);
  CHECK(untouched_keys == Bytes(untouched_keys.size(), std::byte{0xff}));
  CHECK(untouched_values == Bytes(untouched_values.size(), std::byte{0xff}));
  if (p.rotary_dim == 0) return;
  Rotated other;
  for (std::int64_t row = 0; row < p.rows; ++row)
    for (std::int64_t head = 0; head < p.heads; ++head)
      append(other,
             rotate_head(p.type, head_at(row, head), run.tables, position_of(row) == 0 ? 1 : position_of(row) - 1, p));
  CHECK(compare(decode(p.type, run.rotated), other.value, other.bound).worst_ratio > 1.0);
}

Problem shape(DType type, std::int64_t rows, std::int64_t head_dim, std::int64_t rotary_dim) {
  Problem p;
  p.rows = rows;
  p.heads = 4;
  p.kv_heads = 2;
  p.head_dim = head_dim;
  p.rotary_dim = rotary_dim;
  p.capacity = 70;
  p.table_rows = 128;
  p.type = type;
  return p;
}

}  // namespace

TEST_CASE("rope and append agree with the double reference for every style, width and form of input", "[gpu][rope]") {
  if (!gpu_ready()) return;
  int checked = 0;
  for (const DType type : {DType::f16, DType::bf16, DType::f32})
    for (const auto& [head_dim, rotary_dim] : {std::pair{8, 8}, {16, 16}, {128, 64}, {96, 32}, {64, 0}, {256, 256}})
      for (const std::int64_t rows : {1, 3, 17}) {
        AppendCase c;
        c.problem = shape(type, rows, head_dim, rotary_dim);
        c.problem.interleaved = checked % 2 == 1;
        c.last_valid = static_cast<std::int32_t>(checked % 3 == 0 ? rows - 1 : checked % 3 == 1 ? 69 : 40);
        c.packed = checked % 4 < 2;
        if (checked % 5 == 0)
          for (std::int64_t row = 0; row < rows; ++row) c.positions.push_back((7 * row + 3) % 128);
        check_append(c);
        ++checked;
      }
  CHECK(checked == 54);
}

TEST_CASE("rope and append leaves a row out that lies past the cache, and nothing else changes", "[gpu][rope]") {
  if (!gpu_ready()) return;
  AppendCase c;
  c.problem = shape(DType::f16, 3, 16, 16);
  c.last_valid = 70;  // the last row does not fit
  check_append(c);
}

TEST_CASE("rope and append may rotate in place, and overlap changes no bit", "[gpu][rope]") {
  if (!gpu_ready()) return;
  AppendCase c;
  c.problem = shape(DType::bf16, 3, 64, 32);
  c.last_valid = 9;
  c.packed = false;
  const AppendRun apart = run_append(c);
  CHECK(run_append(c, Overlap::off, true).rotated == apart.rotated);
  CHECK(run_append(c, Overlap::with_previous).rotated == apart.rotated);
}

TEST_CASE("rotary embedding as an operator agrees with the double reference for every form of positions",
          "[gpu][rope]") {
  if (!gpu_ready()) return;
  for (const DType type : {DType::f16, DType::f32})
    for (const Positions kind : {Positions::each, Positions::start, Positions::token})
      for (const bool heads_first : {false, true}) {
        const core::Stream stream;
        RotateProblem p{.tokens = 5,
                        .heads = 3,
                        .head_dim = 24,
                        .rotary_dim = 16,
                        .interleaved = heads_first,
                        .table_rows = 40,
                        .type = type};
        const Tables tables = tables_of(type, p.table_rows, p.rotary_dim / 2);
        const std::vector<double> x = normals(type, static_cast<std::size_t>(p.tokens * p.heads * p.head_dim), 1.0, 6);
        const std::vector<std::int64_t> positions{7, 3, 39, 0, 12};
        const DeviceArray from(encode(type, x), stream), cos(encode(type, tables.cos), stream),
            sin(encode(type, tables.sin), stream), where(bytes_of_vector(positions), stream);
        DeviceArray y(from.size(), stream);
        const std::int64_t token_stride = heads_first ? p.head_dim : p.heads * p.head_dim;
        const std::int64_t head_stride = heads_first ? p.tokens * p.head_dim : p.head_dim;
        const RotateArgs args{from.data(), token_stride, head_stride,  cos.data(), sin.data(), where.as<std::int64_t>(),
                              kind,        y.data(),     token_stride, head_stride};
        const std::vector<double> got = decode(type, run_all_ways(stream, y, [&] { rotate(p, args, stream); }));
        std::vector<double> want(x.size()), bound(x.size()), other(x.size());
        for (std::int64_t token = 0; token < p.tokens; ++token)
          for (std::int64_t head = 0; head < p.heads; ++head) {
            const std::int64_t at = token * token_stride + head * head_stride;
            const std::int64_t position = kind == Positions::each    ? positions[static_cast<std::size_t>(token)]
                                          : kind == Positions::start ? 7 + token
                                                                     : token;
            Problem like;
            like.head_dim = p.head_dim;
            like.rotary_dim = p.rotary_dim;
            like.interleaved = p.interleaved;
            const Rotated r = rotate_head(type, x.data() + at, tables, position, like);
            const Rotated next = rotate_head(type, x.data() + at, tables, position == 39 ? 38 : position + 1, like);
            std::copy(r.value.begin(), r.value.end(), want.begin() + at);
            std::copy(r.bound.begin(), r.bound.end(), bound.begin() + at);
            std::copy(next.value.begin(), next.value.end(), other.begin() + at);
          }
        const Difference difference = compare(got, want, bound);
        CAPTURE(core::name_of(type), heads_first, difference.text);
        CHECK(difference.non_finite == 0);
        CHECK(difference.worst_ratio <= 1.0);
        CHECK(compare(got, other, bound).worst_ratio > 1.0);
      }
}

TEST_CASE("a rotation that the kernels cannot take is refused with rule, wanted and got", "[gpu][rope]") {
  if (!gpu_ready()) return;
  Problem p = shape(DType::f16, 1, 16, 7);
  CHECK(to_string(eligible(p).reason()) == "rotary width: wanted even, 0 to 16, got 7");
  RotateProblem r{.tokens = 1, .heads = 1, .head_dim = 16, .rotary_dim = 0, .table_rows = 4};
  CHECK(to_string(eligible(r).reason()) == "rotary width: wanted even, 2 to 16, got 0");
}
