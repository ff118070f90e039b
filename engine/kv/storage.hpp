// Where the bytes of a key/value cache are: host memory here, a device's in the CUDA backend.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/allocation.hpp"
#include "harness/core/tensor.hpp"

namespace gonogo::engine {

/// One cache buffer, as the graph declares it: [1, heads, capacity, dim].
struct KvShape {
  core::DType dtype = core::DType::f32;
  std::int64_t heads = 0;
  std::int64_t dim = 0;

  [[nodiscard]] std::size_t row_bytes() const { return core::bytes_of(dtype, dim); }
  [[nodiscard]] std::size_t bytes(std::int64_t capacity) const { return core::bytes_of(dtype, heads * capacity * dim); }
};

class KvStorage {
 public:
  virtual ~KvStorage() = default;

  /// New buffers of `capacity` rows a head: the first `valid` rows of the old ones, then zeros. When it throws (memory
  /// is out) the old buffers are as they were.
  virtual void resize(std::int64_t capacity, std::int64_t valid) = 0;
  [[nodiscard]] virtual std::byte* data(std::size_t i) const = 0;
  [[nodiscard]] virtual core::MemorySpace space() const = 0;
};

class HostKvStorage final : public KvStorage {
 public:
  explicit HostKvStorage(std::vector<KvShape> shapes) : shapes_(std::move(shapes)) {}
  void resize(std::int64_t capacity, std::int64_t valid) override;
  [[nodiscard]] std::byte* data(std::size_t i) const override { return buffers_.at(i).data(); }
  [[nodiscard]] core::MemorySpace space() const override { return core::MemorySpace::host; }

 private:
  std::vector<KvShape> shapes_;
  std::vector<core::HostBuffer> buffers_;
  std::int64_t capacity_ = 0;
};

}  // namespace gonogo::engine
