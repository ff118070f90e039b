// Elementwise work between matmuls: residual RMS norms and SwiGLU at decode and verify widths.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "kernels/activation/activation.hpp"
#include "kernels/bench/bench.hpp"
#include "kernels/reference/norm.hpp"

namespace gonogo::kernels::bench {
namespace {

void run_norm(benchmark::State& state, std::int64_t rows, std::int64_t width) {
  const reference::NormCase input = reference::norm_case({.rows = rows, .width = width, .epsilon = 1e-6f}, true, 3);
  std::vector<float> y(input.x.size(), std::nanf("")), sum(input.x.size());
  auto args = input.args();
  args.y = y.data();
  args.sum = sum.data();
  norm::normalize(input.problem, args, threads());
  const auto want = reference::norm_expected(input);
  for (std::size_t i = 0; i < y.size(); ++i)
    if (!(std::abs(y[i] - want.value[i]) <= want.bound[i])) return state.SkipWithError("wrong output");
  for (auto _ : state) {
    norm::normalize(input.problem, args, threads());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * 4 * rows * width * 4);
}

void run_swiglu(benchmark::State& state, std::int64_t count) {
  std::vector<float> gate(static_cast<std::size_t>(count)), up(gate.size()), y(gate.size(), std::nanf(""));
  for (std::size_t i = 0; i < gate.size(); ++i)
    gate[i] = static_cast<float>(i % 997) * 0.01f - 5.0f, up[i] = static_cast<float>(i % 31) * 0.1f;
  activation::swiglu(gate.data(), up.data(), y.data(), count, threads());
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double want = activation::reference(activation::Unary::quick_gelu, 1.0, gate[i]) * up[i];
    if (!(std::abs(y[i] - want) <= 16 * 0x1p-24 * std::abs(want))) return state.SkipWithError("wrong output");
  }
  for (auto _ : state) {
    activation::swiglu(gate.data(), up.data(), y.data(), count, threads());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * 3 * 4 * count);
}

}  // namespace

void register_norm() {
  for (const std::int64_t width : {896, 4096, 5120})
    for (const std::int64_t rows : {1, 8})
      benchmark::RegisterBenchmark(fmt::format("skip_rms_norm/width:{}/m:{}", width, rows).c_str(),
                                   [=](benchmark::State& state) { run_norm(state, rows, width); })
          ->UseRealTime();
  for (const std::int64_t count : {4864, 13696, 8 * 13696})
    benchmark::RegisterBenchmark(fmt::format("swiglu/count:{}", count).c_str(), [=](benchmark::State& state) {
      run_swiglu(state, count);
    })->UseRealTime();
}

}  // namespace gonogo::kernels::bench
