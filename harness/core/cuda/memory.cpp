#include "harness/core/cuda/memory.hpp"

#include <fmt/format.h>

#include <atomic>

#include "harness/core/cuda/check.hpp"
#include "harness/core/error.hpp"

namespace gonogo::core {
namespace {

// Process-wide by nature: readers take differences.
struct Counters {
  std::atomic<std::int64_t> allocations{0};
  std::atomic<std::int64_t> frees{0};
  std::atomic<std::int64_t> bytes{0};
  void add(std::size_t size) {
    ++allocations;
    bytes += static_cast<std::int64_t>(size);
  }
  [[nodiscard]] AllocationCounts read() const { return {allocations.load(), frees.load(), bytes.load()}; }
};
Counters device_counters;
Counters pinned_counters;
// Per thread: another thread's set-up may allocate while this one replays.
thread_local int forbidden = 0;

void expect_allowed(const char* kind, std::size_t bytes) {
  GONOGO_EXPECT(forbidden == 0, fmt::format("no {} allocation in a capture or a replay, wanted {} bytes", kind, bytes));
}

std::size_t at_least_one(std::size_t bytes) { return bytes == 0 ? 1 : bytes; }

}  // namespace

AllocationCounts device_allocations() { return device_counters.read(); }
AllocationCounts pinned_allocations() { return pinned_counters.read(); }

ForbidDeviceAllocation::ForbidDeviceAllocation() noexcept { ++forbidden; }
ForbidDeviceAllocation::~ForbidDeviceAllocation() { --forbidden; }

DeviceMemory device_memory() {
  DeviceMemory memory;
  GONOGO_CUDA(cudaMemGetInfo(&memory.free_bytes, &memory.total_bytes));
  return memory;
}

DeviceBuffer::DeviceBuffer(std::size_t bytes) : size_(bytes) {
  expect_allowed("device", bytes);
  void* data = nullptr;
  const cudaError_t status = cudaMalloc(&data, at_least_one(bytes));
  if (status == cudaErrorMemoryAllocation) throw_out_of_device_memory(bytes, {"cudaMalloc", __FILE__, __LINE__});
  GONOGO_CUDA(status);
  data_.reset(static_cast<std::byte*>(data));
  device_counters.add(bytes);
}

DeviceBuffer::DeviceBuffer(std::size_t bytes, StreamRef stream) : data_(nullptr, Free{stream.get()}), size_(bytes) {
  expect_allowed("device", bytes);
  GONOGO_EXPECT(!stream.capturing(), fmt::format("no device allocation in a capture, wanted {} bytes", bytes));
  void* data = nullptr;
  const cudaError_t status = cudaMallocAsync(&data, at_least_one(bytes), stream.get());
  if (status == cudaErrorMemoryAllocation) throw_out_of_device_memory(bytes, {"cudaMallocAsync", __FILE__, __LINE__});
  GONOGO_CUDA(status);
  data_.reset(static_cast<std::byte*>(data));
  device_counters.add(bytes);
}

void DeviceBuffer::Free::operator()(std::byte* data) const noexcept {
  ++device_counters.frees;
  if (stream != nullptr) {
    GONOGO_CUDA_NOTHROW(cudaFreeAsync(data, stream));
  } else {
    GONOGO_CUDA_NOTHROW(cudaFree(data));
  }
}

PinnedBuffer::PinnedBuffer(std::size_t bytes) : size_(bytes) {
  expect_allowed("pinned", bytes);
  void* data = nullptr;
  const cudaError_t status = cudaHostAlloc(&data, at_least_one(bytes), cudaHostAllocDefault);
  if (status == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    throw EnvironmentError(fmt::format("out of pinned host memory: wanted {} bytes", bytes));
  }
  GONOGO_CUDA(status);
  data_.reset(static_cast<std::byte*>(data));
  pinned_counters.add(bytes);
}

void PinnedBuffer::Free::operator()(std::byte* data) const noexcept {
  ++pinned_counters.frees;
  GONOGO_CUDA_NOTHROW(cudaFreeHost(data));
}

}  // namespace gonogo::core
