// Plain read bandwidth: the sum of a buffer far larger than the caches, every thread its own contiguous part.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "kernels/bench/bench.hpp"

namespace gonogo::kernels::bench {
namespace {

constexpr std::int64_t kBytes = std::int64_t{256} << 20;

std::uint64_t sum(const std::uint64_t* from, std::int64_t count) {
  // Independent sums, so that the additions never wait for each other.
  std::uint64_t sums[32] = {};
  for (std::int64_t i = 0; i + 32 <= count; i += 32)
    for (int j = 0; j < 32; ++j) sums[j] += from[i + j];
  std::uint64_t total = 0;
  for (const std::uint64_t part : sums) total += part;
  return total;
}

void read_sum(benchmark::State& state) {
  const std::vector<std::uint64_t> buffer(kBytes / 8, 3);
  const int team = threads().count;
  const std::int64_t part = kBytes / 8 / team;
  for (auto _ : state) {
    std::uint64_t total = 0;
#pragma omp parallel for num_threads(team) reduction(+ : total)
    for (int t = 0; t < team; ++t) total += sum(buffer.data() + t * part, part);
    benchmark::DoNotOptimize(total);
  }
  state.SetBytesProcessed(state.iterations() * part * team * 8);
}

}  // namespace

void register_memory() { benchmark::RegisterBenchmark("memory/read_sum", &read_sum)->UseRealTime(); }

}  // namespace gonogo::kernels::bench
