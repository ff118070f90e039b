#include "engine/kv/cache.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "engine/kv/bucket.hpp"
#include "harness/core/error.hpp"

namespace gonogo::engine {

KvCache::KvCache(std::vector<KvShape> shapes, std::int64_t context)
    : context_(context), capacity_(bucket_for(0, context)) {
  for (const KvShape& shape : shapes) {
    GONOGO_EXPECT(shape.heads > 0 && shape.dim > 0, fmt::format("heads {}, dim {}", shape.heads, shape.dim));
    buffers_.push_back(make(shape, capacity_));
  }
}

KvCache::Buffer KvCache::make(const KvShape& shape, std::int64_t capacity) const {
  const std::size_t bytes = core::bytes_of(shape.dtype, shape.heads * capacity * shape.dim);
  Buffer buffer{shape, core::HostBuffer(bytes)};
  std::memset(buffer.memory.data(), 0, bytes);
  return buffer;
}

std::int64_t KvCache::bytes_per_token() const {
  std::int64_t bytes = 0;
  for (const Buffer& buffer : buffers_)
    bytes += static_cast<std::int64_t>(core::bytes_of(buffer.shape.dtype, buffer.shape.heads * buffer.shape.dim));
  return bytes;
}

core::Tensor KvCache::tensor(std::size_t i) const {
  const Buffer& buffer = buffers_.at(i);
  return {buffer.shape.dtype, {1, buffer.shape.heads, capacity_, buffer.shape.dim}, buffer.memory.data()};
}

void KvCache::move_rows(const Buffer& from, Buffer& to, std::int64_t to_capacity) const {
  const std::size_t row = core::bytes_of(from.shape.dtype, from.shape.dim);
  const auto heads = static_cast<std::size_t>(from.shape.heads);
  for (std::size_t h = 0; h < heads; ++h)
    std::memcpy(to.memory.data() + h * static_cast<std::size_t>(to_capacity) * row,
                from.memory.data() + h * static_cast<std::size_t>(capacity_) * row,
                static_cast<std::size_t>(length_) * row);
}

void KvCache::reserve(std::int64_t length) {
  const std::int64_t capacity = bucket_for(length, context_);
  if (capacity <= capacity_) return;
  // All new buffers first: when memory runs out the cache is as it was.
  std::vector<Buffer> grown;
  for (const Buffer& buffer : buffers_) {
    grown.push_back(make(buffer.shape, capacity));
    move_rows(buffer, grown.back(), capacity);
  }
  buffers_ = std::move(grown);
  capacity_ = capacity;
  ++generation_;
  if (length_ > 0) ++growths_;
}

void KvCache::advance(std::int64_t count) {
  GONOGO_EXPECT(count >= 0 && length_ + count <= capacity_,
                fmt::format("{} rows after {} in a bucket of {}", count, length_, capacity_));
  length_ += count;
}

void KvCache::rewind(std::int64_t length) {
  if (length < 0 || length > length_)
    throw core::UsageError(fmt::format("rewind to {}: the cache holds {} tokens", length, length_));
  length_ = length;
}

}  // namespace gonogo::engine
