#include <cmath>
#include <cstring>
#include <limits>

#include "harness/core/half.hpp"
#include "kernels/attention/kv_append.hpp"
#include "kernels/reference/attention.hpp"
#include "tests/catch.hpp"
#include "tests/kernels/guarded.hpp"

namespace {

using namespace gonogo;
using kernels::Threads;
using kernels::attention::Problem;
using kernels::attention::Variant;
using kernels::reference::attention_case;
using kernels::reference::attention_expected;
using kernels::reference::AttentionCase;
using kernels::reference::AttentionExtras;

constexpr Variant kVariants[] = {Variant::portable, Variant::simd};

std::vector<float> run(Variant variant, const AttentionCase& c, int threads = 2) {
  const tests::Guarded<float> output(c.query.size());
  const tests::Guarded<std::byte> workspace(kernels::attention::workspace_bytes(c.problem, Threads{threads}));
  kernels::attention::attend(variant, c.problem, c.args(output.data()), {workspace.data(), workspace.size()},
                             Threads{threads});
  CHECK(output.guard_intact());
  CHECK(workspace.guard_intact());
  return output.values();
}

double worst(Variant variant, const AttentionCase& c) {
  const auto want = attention_expected(c);
  return tests::worst_ratio(run(variant, c), want.value, want.bound);
}

std::string describe(const Problem& p, Variant variant, std::int64_t past) {
  return std::string(kernels::attention::name_of(variant)) + " head_dim " + std::to_string(p.head_dim) + " heads " +
         std::to_string(p.heads) + "/" + std::to_string(p.kv_heads) + " rows " + std::to_string(p.rows) + " past " +
         std::to_string(past) + " window " + std::to_string(p.window) + " cache " + std::string(core::name_of(p.cache));
}

Problem problem_of(std::int64_t head_dim, std::int64_t group, std::int64_t rows, std::int64_t past) {
  Problem p{.rows = rows, .heads = group, .kv_heads = 1, .head_dim = head_dim, .capacity = past + rows + 3};
  p.scale = 1.0f / std::sqrt(static_cast<float>(head_dim));
  return p;
}

/// Row `row` of the case, run alone: a problem of one row at the same place in the cache.
AttentionCase one_row(const AttentionCase& c, std::int64_t row) {
  AttentionCase out = c;
  const Problem& p = c.problem;
  out.problem.rows = 1;
  const std::int64_t width = p.heads * p.head_dim;
  out.query.clear();
  for (std::int64_t b = 0; b < p.batch; ++b) {
    const float* from = c.query.data() + (b * p.rows + row) * width;
    out.query.insert(out.query.end(), from, from + width);
    out.first[static_cast<std::size_t>(b)] += row;
  }
  return out;
}

/// The same data in caches of another capacity.
AttentionCase with_capacity(const AttentionCase& c, std::int64_t capacity) {
  AttentionCase out = c;
  out.problem.capacity = capacity;
  const std::size_t from = core::bytes_of(c.problem.cache, c.problem.capacity * c.problem.head_dim);
  const std::size_t to = core::bytes_of(c.problem.cache, capacity * c.problem.head_dim);
  for (auto [source, target] : {std::pair{&c.keys, &out.keys}, std::pair{&c.values, &out.values}}) {
    target->assign(to * static_cast<std::size_t>(c.problem.batch * c.problem.kv_heads), std::byte{0xff});
    for (std::size_t plane = 0; plane * from < source->size(); ++plane)
      std::memcpy(target->data() + plane * to, source->data() + plane * from, std::min(from, to));
  }
  return out;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST_CASE("attention stays within the float32 bound of the double reference for every head size and group",
          "[kernels]") {
  int ran = 0;
  for (const Variant variant : kVariants)
    for (const std::int64_t head_dim : {8, 16, 24, 32, 40, 64, 72, 80, 96, 128, 256})
      for (const std::int64_t group : {1, 2, 7, 9, 16})
        for (const auto type : {core::DType::f32, core::DType::f16}) {
          Problem p = problem_of(head_dim, group, 3, 30);
          p.kv_heads = 2;
          p.heads = 2 * group;
          p.cache = type;
          const AttentionCase c = attention_case(p, 30, {}, 11);
          if (const double ratio = worst(variant, c); !(ratio <= 1.0)) FAIL(describe(p, variant, 30) << ": " << ratio);
          ++ran;
        }
  CHECK(ran == 2 * 11 * 5 * 2);
}

TEST_CASE("attention is right at lengths below, at and above every tile", "[kernels]") {
  int ran = 0;
  for (const Variant variant : kVariants)
    for (const std::int64_t length : {1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257})
      for (const std::int64_t rows : {1, 2, 8, 9}) {
        if (rows > length) continue;
        for (const std::int64_t slack : {0, 1, 40}) {
          Problem p = problem_of(64, 2, rows, length - rows);
          p.capacity = length + slack;
          const AttentionCase c = attention_case(p, length - rows, {}, 12);
          if (const double ratio = worst(variant, c); !(ratio <= 1.0))
            FAIL(describe(p, variant, length - rows) << ": " << ratio);
          ++ran;
        }
      }
  CHECK(ran == 2 * 3 * (19 + 18 + 16 + 15));
}

TEST_CASE("attention honours window, softcap, bias, sinks, smooth softmax and the lack of causality", "[kernels]") {
  int ran = 0;
  for (const Variant variant : kVariants)
    for (const std::int64_t window : {-1, 0, 1, 2, 3, 100})
      for (int features = 0; features < 32; ++features) {
        Problem p = problem_of(32, 2, 5, 120);
        p.batch = 2;
        p.capacity += 1;  // entry 1 stands one further
        p.window = window;
        p.softcap = (features & 1) != 0 ? 2.0f : 0.0f;
        p.smooth_softmax = (features & 2) != 0;
        p.causal = (features & 4) == 0;
        const AttentionCase c =
            attention_case(p, 120, {.bias = (features & 8) != 0, .sinks = (features & 16) != 0}, 13);
        const double ratio = worst(variant, c);
        if (!(ratio <= 1.0)) FAIL(describe(p, variant, 120) << " features " << features << ": " << ratio);
        ++ran;
      }
  CHECK(ran == 2 * 6 * 32);
}

TEST_CASE("the attention bound notices a key, a value, a window or a scale that is a little wrong", "[kernels]") {
  for (const Variant variant : kVariants) {
    Problem p = problem_of(64, 2, 2, 255);
    p.window = 100;
    const AttentionCase c = attention_case(p, 255, {.bias = true, .sinks = true}, 14);
    const auto want = attention_expected(c);
    const auto ratio = [&](const AttentionCase& changed) {
      return tests::worst_ratio(run(variant, changed), want.value, want.bound);
    };
    CHECK(ratio(c) <= 1.0);
    AttentionCase wrong = c;
    reinterpret_cast<float*>(wrong.keys.data())[200 * 64 + 5] += 0.5f;
    CHECK(ratio(wrong) > 1.0);
    wrong = c;
    reinterpret_cast<float*>(wrong.values.data())[256 * 64] += 0.05f;
    CHECK(ratio(wrong) > 1.0);
    wrong = c;
    wrong.problem.window = 101;
    CHECK(ratio(wrong) > 1.0);
    wrong = c;
    wrong.problem.scale *= 1.001f;
    CHECK(ratio(wrong) > 1.0);
    wrong = c;
    wrong.sinks[1] += 0.1f;
    CHECK(ratio(wrong) > 1.0);
    wrong = c;
    wrong.bias[255] += 0.1f;
    CHECK(ratio(wrong) > 1.0);
    wrong = c;
    wrong.first[0] -= 1;
    CHECK(ratio(wrong) > 1.0);
  }
}

TEST_CASE("an attention row has the same bits alone, among others, and in any split of a prompt", "[kernels]") {
  for (const Variant variant : kVariants)
    for (const std::int64_t window : {-1, 3, 20})
      for (const auto type : {core::DType::f32, core::DType::f16}) {
        Problem p = problem_of(64, 7, 21, 50);
        p.window = window;
        p.cache = type;
        const AttentionCase c = attention_case(p, 50, {}, 15);
        const std::vector<float> all = run(variant, c);
        const std::size_t width = static_cast<std::size_t>(p.heads * p.head_dim);
        for (std::int64_t row = 0; row < p.rows; ++row) {
          const std::vector<float> alone = run(variant, one_row(c, row));
          const auto at = all.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(row) * width);
          if (!same_bits(alone, {at, at + static_cast<std::ptrdiff_t>(width)}))
            FAIL(describe(p, variant, 50) << " row " << row);
        }
      }
}

TEST_CASE("an attention row has the same bits whatever the capacity of its cache", "[kernels]") {
  for (const Variant variant : kVariants)
    for (const std::int64_t length : {1, 17, 64, 257}) {
      Problem p = problem_of(72, 3, 1, length - 1);
      p.capacity = length;
      const AttentionCase c = attention_case(p, length - 1, {}, 16);
      const std::vector<float> tight = run(variant, c);
      for (const std::int64_t capacity : {length + 1, length + 15, std::int64_t{1024}, std::int64_t{4096}}) {
        CAPTURE(length, capacity);
        CHECK(same_bits(run(variant, with_capacity(c, capacity)), tight));
      }
    }
}

TEST_CASE("attention has the same bits on any number of threads", "[kernels]") {
  for (const Variant variant : kVariants)
    for (const std::int64_t rows : {1, 8, 33}) {
      Problem p = problem_of(64, 16, rows, 100);
      const AttentionCase c = attention_case(p, 100, {}, 17);
      const std::vector<float> one = run(variant, c, 1);
      for (const int threads : {2, 3, 5, 16, 40}) {
        CAPTURE(rows, threads);
        CHECK(same_bits(run(variant, c, threads), one));
      }
    }
}

TEST_CASE("a row without keys is zero, and an infinite bias hides a key completely", "[kernels]") {
  for (const Variant variant : kVariants) {
    Problem p = problem_of(16, 2, 2, 4);
    AttentionCase c = attention_case(p, 4, {.bias = true}, 18);
    const float infinity = std::numeric_limits<float>::infinity();
    for (float& v : c.bias) v = -infinity;
    for (const float v : run(variant, c)) CHECK(v == 0.0f);
    for (std::int64_t row = 0; row < 4; ++row)
      c.bias[static_cast<std::size_t>(row * p.capacity + 2)] = 0.0f;  // one key left
    const std::vector<float> got = run(variant, c);
    const auto* values = reinterpret_cast<const float*>(c.values.data());
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == values[2 * 16 + i % 16]);
    c.valid[0] = 0;
    for (const float v : run(variant, c)) CHECK(v == 0.0f);
  }
}

TEST_CASE("a NaN in a later token leaves the rows before it as they were, and shows in its own", "[kernels]") {
  for (const Variant variant : kVariants)
    for (const bool in_values : {true, false}) {
      Problem p = problem_of(32, 2, 12, 20);
      const AttentionCase clean = attention_case(p, 20, {}, 19);
      AttentionCase c = clean;
      auto& cache = in_values ? c.values : c.keys;
      reinterpret_cast<float*>(cache.data())[25 * 32] = std::numeric_limits<float>::quiet_NaN();
      const std::vector<float> want = run(variant, clean), got = run(variant, c);
      const std::size_t width = 2 * 32;
      for (std::size_t row = 0; row < 12; ++row) {
        CAPTURE(row, in_values);
        const bool sees = 20 + row >= 25;
        CHECK(std::isnan(got[row * width]) == sees);
        if (!sees) CHECK(std::memcmp(&got[row * width], &want[row * width], width * sizeof(float)) == 0);
      }
    }
}

TEST_CASE("attention says which shapes it cannot do", "[kernels]") {
  const auto rule = [](Problem p) { return kernels::attention::eligible(p).reason(); };
  CHECK(kernels::attention::eligible(problem_of(64, 2, 1, 1)));
  Problem p = problem_of(12, 1, 1, 1);
  CHECK(rule(p) == core::Refusal{"head size, a positive multiple of", "8", "12"});
  p = problem_of(64, 3, 1, 1);
  p.kv_heads = 2;
  CHECK(rule(p).got == "3");
  p = problem_of(64, 1, 1, 1);
  p.cache = core::DType::bf16;
  CHECK(rule(p).got == "bfloat16");
  p.cache = core::DType::f32;
  p.window = -2;
  CHECK(rule(p).wanted == "-1");
}

TEST_CASE("kv_append writes its rows, rounds once into float16, and touches nothing else", "[kernels]") {
  for (const auto type : {core::DType::f32, core::DType::f16}) {
    const kernels::attention::CacheShape shape{2, 3, 5, 8, type};
    const tests::Guarded<std::byte> cache(core::bytes_of(type, shape.count()));
    std::vector<float> rows(2 * 2 * 3 * 8);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = 1.0f + static_cast<float>(i) * 0x1p-12f;
    const std::int64_t first[] = {3, 0};
    kernels::attention::kv_append(shape, cache.data(), {rows.data(), 2 * 3 * 8, 3 * 8, 8}, first, 2);
    CHECK(cache.guard_intact());
    for (std::int64_t b = 0; b < 2; ++b)
      for (std::int64_t h = 0; h < 3; ++h)
        for (std::int64_t r = 0; r < 5; ++r)
          for (std::int64_t i = 0; i < 8; ++i) {
            const std::int64_t at = ((b * 3 + h) * 5 + r) * 8 + i;
            const float got = type == core::DType::f32
                                  ? reinterpret_cast<float*>(cache.data())[at]
                                  : core::f16_to_f32(reinterpret_cast<std::uint16_t*>(cache.data())[at]);
            const std::int64_t row = r - first[b];
            if (row < 0 || row >= 2) {
              CHECK(std::isnan(got));
              continue;
            }
            const float want = rows[static_cast<std::size_t>(((b * 2 + row) * 3 + h) * 8 + i)];
            CHECK(got == (type == core::DType::f32 ? want : core::f16_to_f32(core::f32_to_f16(want))));
          }
    const std::int64_t past_end[] = {4, 0};
    CHECK_THROWS_AS(kernels::attention::kv_append(shape, cache.data(), {rows.data(), 2 * 3 * 8, 3 * 8, 8}, past_end, 2),
                    core::LogicError);
  }
}

}  // namespace
