// The key/value cache in device memory.
#pragma once

#include <vector>

#include "engine/kv/storage.hpp"
#include "harness/core/cuda/memory.hpp"
#include "harness/core/cuda/stream.hpp"

namespace gonogo::engine::cuda {

class DeviceKvStorage final : public KvStorage {
 public:
  DeviceKvStorage(std::vector<KvShape> shapes, core::StreamRef stream) : shapes_(std::move(shapes)), stream_(stream) {}
  void resize(std::int64_t capacity, std::int64_t valid) override;
  [[nodiscard]] std::byte* data(std::size_t i) const override { return buffers_.at(i).data(); }
  [[nodiscard]] core::MemorySpace space() const override { return core::MemorySpace::device; }

 private:
  std::vector<KvShape> shapes_;
  core::StreamRef stream_;
  std::vector<core::DeviceBuffer> buffers_;
  std::int64_t capacity_ = 0;
};

}  // namespace gonogo::engine::cuda
