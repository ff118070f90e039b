#include "probes/bandwidth.hpp"

#include <nlohmann/json.hpp>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "harness/core/allocation.hpp"
#include "harness/core/error.hpp"
#include "harness/core/trace.hpp"
#include "probes/read_sum.hpp"

namespace gonogo::probes {
namespace {

constexpr std::int64_t kLine = 64;
constexpr int kMinRepetitions = 5;
// A slot reads this much at least: long beside the barriers, and threads that started on one core have moved apart by
// then.
constexpr std::int64_t kSlotBytes = std::int64_t{256} << 20;

std::int64_t last_level_cache_bytes() {
  const long l3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
  const long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return std::max(0L, std::max(l3, l2));
}

// Every thread reads its own slice `passes` times between two barriers; the wall of the slowest counts.
std::int64_t read_ns(const std::byte* data, std::int64_t slice, int threads, std::int64_t passes) {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint64_t sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
    const std::byte* mine = data + omp_get_thread_num() * slice;
#pragma omp barrier
#pragma omp master
    begin = core::steady_ns();
    for (std::int64_t pass = 0; pass < passes; ++pass) sum += read_sum(mine, static_cast<std::size_t>(slice));
#pragma omp barrier
#pragma omp master
    end = core::steady_ns();
  }
  // All bytes are 1, so a read that was optimised away or missed a part cannot go unnoticed.
  const auto words = static_cast<std::uint64_t>(slice / 8 * threads * passes);
  GONOGO_EXPECT(sum == words * 0x0101010101010101ULL, "the bandwidth loop did not read every byte");
  return std::max<std::int64_t>(end - begin, 1);
}

}  // namespace

ReadBandwidth measure_read_bandwidth(std::int64_t working_set, int threads, double budget_ms) {
  GONOGO_EXPECT(working_set > 0 && threads > 0,
                std::to_string(working_set) + " bytes, " + std::to_string(threads) + " threads");
  const std::int64_t slice = std::max(kLine * 8, (working_set / threads + kLine * 8 - 1) / (kLine * 8) * (kLine * 8));
  core::HostBuffer buffer(static_cast<std::size_t>(slice * threads));
  // First touch by the thread that reads: pages land on its memory node.
#pragma omp parallel num_threads(threads)
  std::memset(buffer.data() + omp_get_thread_num() * slice, 1, static_cast<std::size_t>(slice));

  ReadBandwidth result;
  result.working_set = slice * threads;
  result.threads = threads;
  result.last_level_cache = last_level_cache_bytes();
  const std::int64_t passes = (kSlotBytes + result.working_set - 1) / result.working_set;
  const std::int64_t deadline = core::steady_ns() + static_cast<std::int64_t>(budget_ms * 1e6);
  while (result.repetitions < kMinRepetitions || core::steady_ns() < deadline) {
    const auto ns = static_cast<double>(read_ns(buffer.data(), slice, threads, passes));
    const double rate = static_cast<double>(result.working_set) * static_cast<double>(passes) / ns * 1e9;
    result.bytes_per_second = std::max(result.bytes_per_second, rate);
    ++result.repetitions;
  }
  return result;
}

record::Json to_json(const ReadBandwidth& b) {
  return {{"bytes_per_second", b.bytes_per_second},
          {"working_set_bytes", b.working_set},
          {"cache_resident", b.cache_resident()},
          {"last_level_cache_bytes", b.last_level_cache},
          {"threads", b.threads},
          {"repetitions", b.repetitions},
          {"statistic", "max"}};
}

}  // namespace gonogo::probes
