// Device and pinned memory through one counted door: allocation deltas are a measured quantity, and a replay must have
// none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "harness/core/allocation.hpp"
#include "harness/core/cuda/stream.hpp"

namespace gonogo::core {

/// Totals since the program started, over all DeviceBuffers and over all PinnedBuffers.
[[nodiscard]] AllocationCounts device_allocations();
[[nodiscard]] AllocationCounts pinned_allocations();

/// While one lives, any DeviceBuffer or PinnedBuffer allocation on this thread throws LogicError, before the driver is
/// asked: an allocation inside a capture would spoil it.
class ForbidDeviceAllocation {
 public:
  ForbidDeviceAllocation() noexcept;
  ~ForbidDeviceAllocation();
  ForbidDeviceAllocation(const ForbidDeviceAllocation&) = delete;
  ForbidDeviceAllocation& operator=(const ForbidDeviceAllocation&) = delete;
};

struct DeviceMemory {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
};
/// Of the current device.
[[nodiscard]] DeviceMemory device_memory();

/// Owned device bytes on the current device, 256-byte aligned, uninitialised. Move-only; move-assigning frees what was
/// held.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  /// Lives until freed; may synchronise the device. Throws EnvironmentError with the bytes wanted and free.
  explicit DeviceBuffer(std::size_t bytes);
  /// Ordered in `stream`, which must outlive the buffer: usable by later work of that stream, freed after the work put
  /// there before.
  DeviceBuffer(std::size_t bytes, StreamRef stream);
  [[nodiscard]] std::byte* data() const { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  template <class T>
  [[nodiscard]] T* as() const {
    return reinterpret_cast<T*>(data_.get());
  }

 private:
  struct Free {
    CUstream_st* stream;  // null: not stream-ordered
    void operator()(std::byte* data) const noexcept;
  };
  std::unique_ptr<std::byte[], Free> data_{nullptr, Free{nullptr}};
  std::size_t size_ = 0;
};

/// Owned page-locked host bytes, uninitialised: copies to and from them are truly asynchronous. Move-only.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(std::size_t bytes);
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
