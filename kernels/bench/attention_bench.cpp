// Attention of one layer: decode and verify widths at 512 tokens of past, a prompt, and the same length in a larger
// cache (time must follow the length, not the capacity). The caches of a whole model are rotated through, as in a real
// step.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>
#include <string_view>
#include <vector>

#include "harness/core/allocation.hpp"
#include "kernels/bench/bench.hpp"
#include "kernels/reference/attention.hpp"

namespace gonogo::kernels::bench {
namespace {

using attention::Problem;
using attention::Variant;

struct Shape {
  std::string_view model;
  std::int64_t heads, kv_heads, head_dim, layers;
  core::DType cache;
};
// Source: the models' public configurations.
constexpr std::array kShapes = {
    Shape{"qwen2.5-0.5b", 14, 2, 64, 24, core::DType::f32},
    Shape{"glm-4-9b", 32, 2, 128, 40, core::DType::f16},
};
struct Length {
  std::int64_t rows, past, capacity;
};
constexpr std::array kLengths = {Length{1, 512, 1024}, Length{8, 512, 1024}, Length{1, 16, 64}, Length{1, 16, 8192},
                                 Length{1024, 0, 1024}};

void run(benchmark::State& state, const Shape& shape, const Length& length, Variant variant) {
  const Problem problem{.rows = length.rows,
                        .heads = shape.heads,
                        .kv_heads = shape.kv_heads,
                        .head_dim = shape.head_dim,
                        .capacity = length.capacity,
                        .cache = shape.cache,
                        .scale = 1.0f / std::sqrt(static_cast<float>(shape.head_dim))};
  std::vector<reference::AttentionCase> layers;
  const std::int64_t copies = length.rows > 64 ? 1 : shape.layers;
  for (std::int64_t layer = 0; layer < copies; ++layer)
    layers.push_back(reference::attention_case(problem, length.past, {}, 5 + static_cast<std::uint64_t>(layer)));
  std::vector<float> output(layers[0].query.size(), std::nanf(""));
  const core::HostBuffer workspace(attention::workspace_bytes(problem, threads()));
  const auto attend = [&](const reference::AttentionCase& layer) {
    attention::attend(variant, problem, layer.args(output.data()), {workspace.data(), workspace.size()}, threads());
  };
  if (length.rows <= 64) {  // a long prompt's reference takes longer than the benchmark; tests cover its lengths
    attend(layers[0]);
    const auto want = reference::attention_expected(layers[0]);
    for (std::size_t i = 0; i < output.size(); ++i)
      if (!(std::abs(output[i] - want.value[i]) <= want.bound[i])) return state.SkipWithError("wrong output");
  }
  std::size_t next = 0;
  for (auto _ : state) {
    attend(layers[next]);
    next = (next + 1) % layers.size();
    benchmark::ClobberMemory();
  }
  // Causal: row r sees past + r + 1 keys.
  const double keys = static_cast<double>(length.past) + static_cast<double>(length.rows + 1) / 2;
  const core::Work work = attention::work(problem, length.past + length.rows);
  state.SetBytesProcessed(state.iterations() * work.kv_bytes);
  state.counters["flops"] =
      benchmark::Counter(4.0 * static_cast<double>(length.rows * shape.heads * shape.head_dim) * keys,
                         benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

void register_attention() {
  for (const Shape& shape : kShapes)
    for (const Length& length : kLengths)
      for (const Variant variant : {Variant::portable, Variant::simd}) {
        const std::string name = fmt::format("attention/{}/m:{}/past:{}/capacity:{}/{}", shape.model, length.rows,
                                             length.past, length.capacity, attention::name_of(variant));
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { run(state, shape, length, variant); })
            ->UseRealTime()
            ->Unit(benchmark::kMicrosecond);
      }
}

}  // namespace gonogo::kernels::bench
