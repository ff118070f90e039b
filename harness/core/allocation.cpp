#include "harness/core/allocation.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>

#include "harness/core/error.hpp"

namespace gonogo::core {
namespace {
// The one counted door: process-wide by nature, relaxed because readers only take differences on their own thread.
struct Counters {
  std::atomic<std::int64_t> allocations{0};
  std::atomic<std::int64_t> frees{0};
  std::atomic<std::int64_t> bytes{0};
  std::atomic<int> forbidden{0};
};
Counters counters;
constexpr std::size_t kAlignment = 64;
}  // namespace

AllocationCounts operator-(const AllocationCounts& after, const AllocationCounts& before) {
  return {after.allocations - before.allocations, after.frees - before.frees, after.bytes - before.bytes};
}

AllocationCounts host_allocations() {
  return {counters.allocations.load(), counters.frees.load(), counters.bytes.load()};
}

ForbidAllocation::ForbidAllocation() { ++counters.forbidden; }
ForbidAllocation::~ForbidAllocation() { --counters.forbidden; }

HostBuffer::HostBuffer(std::size_t bytes) : size_(bytes) {
  GONOGO_EXPECT(counters.forbidden.load() == 0, fmt::format("no allocation in a replay, wanted {} bytes", bytes));
  const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded == 0 ? kAlignment : rounded)));
  if (!data_) throw EnvironmentError(fmt::format("out of host memory: wanted {} bytes", bytes));
  ++counters.allocations;
  counters.bytes += static_cast<std::int64_t>(bytes);
}

void HostBuffer::Free::operator()(std::byte* data) const noexcept {
  ++counters.frees;
  std::free(data);
}

}  // namespace gonogo::core
