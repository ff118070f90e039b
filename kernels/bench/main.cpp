// bench_kernels: Google Benchmark over the decode shapes; outputs are checked against the double reference before
// timing.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <string_view>

#include "kernels/bench/bench.hpp"

namespace gonogo::kernels::bench {
namespace {
Threads chosen{available_threads()};
}  // namespace
Threads threads() { return chosen; }
}  // namespace gonogo::kernels::bench

int main(int argc, char** argv) {
  using namespace gonogo::kernels;
  benchmark::Initialize(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    constexpr std::string_view kThreads = "--threads=";
    int count = 0;
    const bool known = argument.starts_with(kThreads);
    if (known) std::from_chars(argument.data() + kThreads.size(), argument.data() + argument.size(), count);
    if (!known || count < 1) {
      fmt::print(stderr,
                 "bench_kernels: {}: wanted --threads=N with N of 1 or more, or an option of Google Benchmark\n",
                 argument);
      return 2;
    }
    bench::chosen.count = count;
  }
  benchmark::AddCustomContext("simd_target", simd_target());
  benchmark::AddCustomContext("threads", std::to_string(bench::threads().count));
  bench::register_memory();
  bench::register_int4_matmul();
  bench::register_attention();
  bench::register_norm();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
