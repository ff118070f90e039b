#include "engine/kv/storage.hpp"

#include <cstring>
#include <utility>

namespace gonogo::engine {

void HostKvStorage::resize(std::int64_t capacity, std::int64_t valid) {
  // All new buffers first: when memory runs out the cache is as it was.
  std::vector<core::HostBuffer> grown;
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const KvShape& shape = shapes_[i];
    grown.emplace_back(shape.bytes(capacity));
    std::memset(grown.back().data(), 0, shape.bytes(capacity));
    if (valid == 0) continue;
    for (std::size_t h = 0; h < static_cast<std::size_t>(shape.heads); ++h)
      std::memcpy(grown.back().data() + h * static_cast<std::size_t>(capacity) * shape.row_bytes(),
                  buffers_[i].data() + h * static_cast<std::size_t>(capacity_) * shape.row_bytes(),
                  static_cast<std::size_t>(valid) * shape.row_bytes());
  }
  buffers_ = std::move(grown);
  capacity_ = capacity;
}

}  // namespace gonogo::engine
