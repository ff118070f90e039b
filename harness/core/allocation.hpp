// Host memory the engine owns, through one counted door: allocation deltas are a measured quantity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace gonogo::core {

struct AllocationCounts {
  std::int64_t allocations = 0;
  std::int64_t frees = 0;
  std::int64_t bytes = 0;  // bytes allocated, never decreasing
  friend bool operator==(const AllocationCounts&, const AllocationCounts&) = default;
};

[[nodiscard]] AllocationCounts operator-(const AllocationCounts& after, const AllocationCounts& before);

/// Totals since the program started, over all HostBuffers.
[[nodiscard]] AllocationCounts host_allocations();

/// While one lives, any HostBuffer allocation throws LogicError: a replay must not allocate.
class ForbidAllocation {
 public:
  ForbidAllocation();
  ~ForbidAllocation();
  ForbidAllocation(const ForbidAllocation&) = delete;
  ForbidAllocation& operator=(const ForbidAllocation&) = delete;
};

/// Owned host bytes, 64-byte aligned, uninitialised. Move-only.
class HostBuffer {
 public:
  HostBuffer() = default;
  /// Throws EnvironmentError with the bytes wanted when memory is out.
  explicit HostBuffer(std::size_t bytes);
  [[nodiscard]] std::byte* data() const { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  template <class T>
  [[nodiscard]] T* as() const {
    return reinterpret_cast<T*>(data_.get());
  }

 private:
  struct Free {
    void operator()(std::byte* data) const noexcept;
  };
  std::unique_ptr<std::byte[], Free> data_;
  std::size_t size_ = 0;
};

}  // namespace gonogo::core
