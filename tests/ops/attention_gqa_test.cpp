#include <algorithm>
#include <cmath>

#include "tests/catch.hpp"
#include "tests/ops/op_runner.hpp"

namespace {

using namespace gonogo;
using core::DType;
using tests::Runner;
using tests::Value;
using tests::varied;

constexpr std::int64_t kHeads = 4, kKvHeads = 2, kDim = 16;

Runner gqa(const std::string& form = "static") {
  Runner runner("com.microsoft", "GroupQueryAttention", 3);
  runner.node.attributes["num_heads"] = kHeads;
  runner.node.attributes["kv_num_heads"] = kKvHeads;
  runner.node.attributes["do_rotary"] = std::int64_t{1};
  runner.choice.attention = form;
  return runner;
}

Value scalar(std::int32_t value) { return tests::integers<std::int32_t>({}, {value}); }

/// Tables of 64 positions for 16 of the head's elements.
std::pair<Value, Value> tables(DType type, std::int64_t rows = 64) {
  Value cos = tests::make_value(type, {rows, 8}), sin = tests::make_value(type, {rows, 8});
  for (std::size_t i = 0; i < cos.count(); ++i) {
    const double angle = static_cast<double>(i / 8) * std::pow(10.0, -static_cast<double>(i % 8) / 4.0);
    cos.set(i, static_cast<float>(std::cos(angle)));
    sin.set(i, static_cast<float>(std::sin(angle)));
  }
  return {cos, sin};
}

/// Inputs 0 to 8 for `rows` packed tokens after `past` in a cache of `capacity`, rows past the valid ones poisoned.
std::vector<Value> call(DType type, std::int64_t rows, std::int64_t past, std::int64_t capacity,
                        std::uint64_t seed = 1) {
  std::vector<Value> inputs = {varied(type, {1, rows, (kHeads + 2 * kKvHeads) * kDim}, seed), tests::absent(),
                               tests::absent()};
  for (std::uint64_t side = 0; side < 2; ++side) {
    const Value full = varied(type, {1, kKvHeads, 64, kDim}, 100 + side);
    Value cache = tests::make_value(type, {1, kKvHeads, capacity, kDim});
    for (std::int64_t h = 0; h < kKvHeads; ++h)
      for (std::int64_t i = 0; i < past * kDim; ++i)
        cache.set(static_cast<std::size_t>(h * capacity * kDim + i),
                  full.at(static_cast<std::size_t>(h * 64 * kDim + i)));
    inputs.push_back(cache);
  }
  inputs.push_back(tests::integers<std::int32_t>({1}, {static_cast<std::int32_t>(past + rows - 1)}));
  inputs.push_back(scalar(static_cast<std::int32_t>(past + rows)));
  const auto [cos, sin] = tables(type);
  inputs.push_back(cos);
  inputs.push_back(sin);
  return inputs;
}

/// Row `row` of a tensor whose last extent is `width`.
std::vector<std::byte> row_bytes(const Value& value, std::int64_t row) {
  const std::size_t bytes = core::bytes_of(value.dtype, value.shape.back());
  const auto at = value.bytes.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(row) * bytes);
  return {at, at + static_cast<std::ptrdiff_t>(bytes)};
}

TEST_CASE("a shared cache is appended in place and gives the bits of a copied one", "[ops]") {
  for (const char* form : {"static", "transient"})
    for (const DType type : {DType::f32, DType::f16})
      for (const std::int64_t rows : {1, 5}) {
        const std::int64_t past = rows == 5 ? 0 : 9;
        std::vector<Value> copied = call(type, rows, past, 20), shared = copied;
        const Runner runner = gqa(form);
        const std::vector<Value> want = runner.run(copied), got = runner.run(shared, {-1, 3, 4});
        CAPTURE(form, rows, static_cast<int>(type));
        CHECK(got[0].bytes == want[0].bytes);
        for (std::size_t side = 0; side < 2; ++side) {
          const Value& out = want[side + 1];
          CHECK(out.shape == core::Shape{1, kKvHeads, 20, kDim});
          for (std::int64_t row = 0; row < kKvHeads * 20; ++row) {
            const bool valid = row % 20 < past + rows;
            if (valid)
              CHECK(row_bytes(out, row) == row_bytes(shared[side + 3], row));
            else
              CHECK(row_bytes(out, row) == std::vector<std::byte>(core::bytes_of(type, kDim)));  // zero
            // In place, rows after the valid ones are left as they were: poisoned here.
            if (!valid)
              CHECK(row_bytes(shared[side + 3], row) ==
                    std::vector<std::byte>(core::bytes_of(type, kDim), std::byte{0xff}));
          }
        }
      }
}

TEST_CASE("a row of a wide call has the bits of the call of width 1, whatever the cache's capacity", "[ops]") {
  for (const DType type : {DType::f32, DType::f16}) {
    const Runner runner = gqa();
    std::vector<Value> wide = call(type, 6, 10, 40);
    const std::vector<Value> all = runner.run(wide, {-1, 3, 4});
    for (const std::int64_t capacity : {16, 17, 64}) {
      std::vector<Value> step = call(type, 1, 10, capacity);
      for (std::int64_t row = 0; row < 6; ++row) {
        const auto bytes = row_bytes(wide[0], row);
        std::copy(bytes.begin(), bytes.end(), step[0].bytes.begin());
        step[5] = tests::integers<std::int32_t>({1}, {static_cast<std::int32_t>(10 + row)});
        step[6] = scalar(static_cast<std::int32_t>(11 + row));
        const std::vector<Value> one = runner.run(step, {-1, 3, 4});
        CAPTURE(static_cast<int>(type), capacity, row);
        CHECK(row_bytes(one[0], 0) == row_bytes(all[0], row));
      }
    }
  }
}

TEST_CASE("the present length is the greater of total and past when total is known, else the past's", "[ops]") {
  const Runner runner = gqa();
  std::vector<Value> inputs = call(DType::f32, 2, 6, 7);
  const auto present_rows = [&] { return runner.make(inputs)->infer(Runner::facts(inputs))[1].shape[2]; };
  CHECK(present_rows() == 7);
  inputs[6].known = true;
  CHECK(present_rows() == 8);
  inputs[6] = scalar(3);
  inputs[6].known = true;
  CHECK(present_rows() == 7);
  CHECK(runner.make(inputs)->in_place() == std::vector<std::pair<int, int>>{{3, 1}, {4, 2}});
}

TEST_CASE("the cache holds exactly its capacity and a token more is refused with the numbers", "[ops]") {
  const Runner runner = gqa();
  CHECK(runner.refusal(call(DType::f32, 1, 15, 16)).empty());
  std::vector<Value> full = call(DType::f32, 1, 15, 16);
  full[5] = tests::integers<std::int32_t>({1}, {16});
  full[6] = scalar(17);
  CHECK(runner.refusal(full) ==
        "model.onnx: node the_node (com.microsoft.GroupQueryAttention): total_sequence_length, at most the rows of the "
        "cache (it is full): wanted 16, got 17");
  // A prompt of exactly the capacity fits, one row more does not.
  CHECK(runner.refusal(call(DType::f32, 16, 0, 16)).empty());
  CHECK(runner.refusal(call(DType::f32, 17, 0, 16)).find("wanted 16, got 17") != std::string::npos);
  for (const std::int32_t last : {-1, -7, 16, 1 << 30}) {
    std::vector<Value> inputs = call(DType::f32, 1, 15, 16);
    inputs[5] = tests::integers<std::int32_t>({1}, {last});
    CAPTURE(last);
    CHECK(runner.refusal(inputs).find("seqlens_k, from 0 to below total_sequence_length") != std::string::npos);
  }
  std::vector<Value> negative = call(DType::f32, 1, 15, 16);
  negative[6] = scalar(-3);
  CHECK(runner.refusal(negative).find("total_sequence_length, at least the new rows: wanted 1, got -3") !=
        std::string::npos);
}

TEST_CASE("what is not honoured is refused by its name", "[ops]") {
  const auto with = [](const char* name, onnx::AttributeValue value) {
    Runner runner = gqa();
    runner.node.attributes[name] = std::move(value);
    return runner.refusal(call(DType::f32, 1, 3, 8));
  };
  CHECK(with("k_quant_type", std::string("PER_TENSOR")).find("attribute k_quant_type: wanted NONE, got PER_TENSOR") !=
        std::string::npos);
  CHECK(with("qk_output", std::int64_t{1}).find("attribute qk_output: wanted 0, got 1") != std::string::npos);
  CHECK(with("num_heads", std::int64_t{5}).find("num_heads, a positive multiple of kv_num_heads") != std::string::npos);
  CHECK(with("local_window_size", std::int64_t{-2}).find("local_window_size, at least: wanted -1, got -2") !=
        std::string::npos);
  CHECK(with("invented", std::int64_t{1}).find("attribute: wanted one this engine honours, got invented") !=
        std::string::npos);
  CHECK(with("sliding_window_cache", std::int64_t{1}).find("local_window_size with sliding_window_cache") !=
        std::string::npos);

  const auto changed = [](std::size_t index, Value value) {
    std::vector<Value> inputs = call(DType::f32, 1, 3, 8);
    while (inputs.size() <= index) inputs.push_back(tests::absent());
    inputs[index] = std::move(value);
    return gqa().refusal(inputs);
  };
  CHECK(changed(14, varied(DType::f32, {kDim}, 5)).find("input q_norm_weight: wanted absent, got present") !=
        std::string::npos);
  CHECK(changed(12, varied(DType::f32, {1}, 5)).find("input k_scale: wanted absent, got present") != std::string::npos);
  CHECK(changed(4, tests::absent()).find("both or neither") != std::string::npos);
  CHECK(changed(4, varied(DType::f32, {1, kKvHeads, 9, kDim}, 5)).find("shape of past_value") != std::string::npos);
  CHECK(changed(10, varied(DType::f32, {1, kHeads, 1, 8}, 5))
            .find("last extent of attention_bias, total_sequence_length: wanted 4, got 8") != std::string::npos);
  CHECK(changed(7, tables(DType::f32, 3).first).find("shape of sin_cache") != std::string::npos);
  CHECK(changed(9, tests::integers<std::int64_t>({1, 1}, {64}))
            .find("position, from 0 to below the rows of cos_cache: wanted 64, got 64") != std::string::npos);
  CHECK(changed(0, tests::make_value(DType::bf16, {1, 1, 128}))
            .find("type of query, one of: wanted float32, float16, got bfloat16") != std::string::npos);
  std::vector<Value> short_tables = call(DType::f32, 1, 3, 8);
  std::tie(short_tables[7], short_tables[8]) = tables(DType::f32, 3);
  CHECK(gqa().refusal(short_tables).find("total_sequence_length, at most the rows of cos_cache: wanted 3, got 4") !=
        std::string::npos);
}

TEST_CASE("a transient kernel allocates by the call and says why it cannot be recorded; a static one does not",
          "[ops]") {
  std::vector<Value> inputs = call(DType::f16, 2, 3, 8);
  const auto facts = Runner::facts(inputs);
  const auto fixed = gqa("static").make(inputs), transient = gqa("transient").make(inputs);
  CHECK(fixed->kernel(facts) == "gqa.static.simd");
  CHECK(transient->kernel(facts) == "gqa.transient.portable");
  CHECK(fixed->capture(facts));
  CHECK(transient->capture(facts).reason() == core::Refusal{"workspace from the plan", "static", "transient"});
  CHECK(transient->workspace_bytes(facts, {2}) == 0);
  CHECK(fixed->workspace_bytes(facts, {2}) > 0);
  const auto before = core::host_allocations();
  (void)gqa("transient").run(inputs);
  CHECK((core::host_allocations() - before).allocations == 2);  // the runner's workspace and the call's own
}

TEST_CASE("float16 attention is the float32 one of the same values, rounded once", "[ops]") {
  std::vector<Value> half = call(DType::f16, 3, 4, 12);
  std::vector<Value> wide = half;
  for (Value& value : wide)
    if (value.dtype == DType::f16) {
      const Value from = value;
      value = tests::make_value(DType::f32, from.shape);
      for (std::size_t i = 0; i < from.count(); ++i) value.set(i, from.at(i));
    }
  const auto got = gqa().run(half), want = gqa().run(wide);
  // The new keys are rounded into the float16 cache before they are used: half an ulp of a score's keys.
  for (std::size_t i = 0; i < want[0].count(); ++i) CHECK(std::abs(got[0].at(i) - want[0].at(i)) <= 2e-3f);
  for (std::size_t side = 1; side < 3; ++side)
    for (std::size_t i = 0; i < want[side].count(); ++i)
      CHECK(got[side].at(i) == core::f16_to_f32(core::f32_to_f16(want[side].at(i))));
}

TEST_CASE("a rolling cache gives what a window over a full cache gives, step by step and in chunks", "[ops]") {
  constexpr std::int64_t kWindow = 5, kTokens = 40;
  for (const std::int64_t capacity : {5, 6, 9})
    for (const bool shared : {false, true})
      for (const std::int64_t chunk : {1, 3, 12}) {
        Runner rolling = gqa(), full = gqa();
        for (Runner* runner : {&rolling, &full}) runner->node.attributes["local_window_size"] = kWindow;
        rolling.node.attributes["sliding_window_cache"] = std::int64_t{1};
        std::vector<Value> a = call(DType::f32, 1, 0, capacity), b = call(DType::f32, 1, 0, 64);
        const Value tokens = varied(DType::f32, {1, kTokens, (kHeads + 2 * kKvHeads) * kDim}, 7);
        int steps = 0;
        for (std::int64_t at = 0; at < kTokens; at += chunk) {
          const std::int64_t rows = std::min(chunk, kTokens - at);
          Value slice = tests::make_value(DType::f32, {1, rows, tokens.shape[2]});
          std::memcpy(slice.bytes.data(), tokens.bytes.data() + core::bytes_of(DType::f32, at * tokens.shape[2]),
                      slice.bytes.size());
          for (auto* inputs : {&a, &b}) {
            (*inputs)[0] = slice;
            (*inputs)[5] = tests::integers<std::int32_t>({1}, {static_cast<std::int32_t>(at + rows - 1)});
            (*inputs)[6] = scalar(static_cast<std::int32_t>(at + rows));
          }
          const std::vector<Value> got = rolling.run(a, shared ? std::vector<int>{-1, 3, 4} : std::vector<int>{});
          const std::vector<Value> want = full.run(b, {-1, 3, 4});
          if (!shared) a[3] = got[1], a[4] = got[2];
          CAPTURE(capacity, shared, chunk, at);
          CHECK(got[0].bytes == want[0].bytes);
          ++steps;
        }
        CHECK(steps == (kTokens + chunk - 1) / chunk);
      }
}

}  // namespace
