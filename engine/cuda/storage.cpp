#include "engine/cuda/storage.hpp"

#include <utility>

#include "harness/core/cuda/copy.hpp"

namespace gonogo::engine::cuda {

void DeviceKvStorage::resize(std::int64_t capacity, std::int64_t valid) {
  // All new buffers first: when memory runs out the cache is as it was.
  std::vector<core::DeviceBuffer> grown;
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const KvShape& shape = shapes_[i];
    core::DeviceBuffer& to = grown.emplace_back(shape.bytes(capacity));
    core::fill_bytes(to.data(), 0, shape.bytes(capacity), stream_);
    if (valid == 0) continue;
    const auto heads = static_cast<std::size_t>(shape.heads);
    for (std::size_t h = 0; h < heads; ++h)
      core::copy_on_device(to.data() + h * static_cast<std::size_t>(capacity) * shape.row_bytes(),
                           buffers_[i].data() + h * static_cast<std::size_t>(capacity_) * shape.row_bytes(),
                           static_cast<std::size_t>(valid) * shape.row_bytes(), stream_);
  }
  stream_.synchronize();  // the old buffers are freed below
  buffers_ = std::move(grown);
  capacity_ = capacity;
}

}  // namespace gonogo::engine::cuda
