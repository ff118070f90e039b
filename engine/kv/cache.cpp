#include "engine/kv/cache.hpp"

#include <fmt/format.h>

#include <utility>

#include "engine/kv/bucket.hpp"
#include "harness/core/error.hpp"

namespace gonogo::engine {

KvCache::KvCache(std::vector<KvShape> shapes, std::int64_t context)
    : KvCache(shapes, context, std::make_unique<HostKvStorage>(shapes)) {}

KvCache::KvCache(std::vector<KvShape> shapes, std::int64_t context, std::unique_ptr<KvStorage> storage)
    : shapes_(std::move(shapes)), storage_(std::move(storage)), context_(context), capacity_(bucket_for(0, context)) {
  for (const KvShape& shape : shapes_)
    GONOGO_EXPECT(shape.heads > 0 && shape.dim > 0, fmt::format("heads {}, dim {}", shape.heads, shape.dim));
  storage_->resize(capacity_, 0);
}

std::int64_t KvCache::bytes_per_token() const {
  std::int64_t bytes = 0;
  for (const KvShape& shape : shapes_) bytes += static_cast<std::int64_t>(shape.bytes(1));
  return bytes;
}

core::Tensor KvCache::tensor(std::size_t i) const {
  const KvShape& shape = shapes_.at(i);
  return {shape.dtype, {1, shape.heads, capacity_, shape.dim}, storage_->data(i), storage_->space()};
}

void KvCache::reserve(std::int64_t length) {
  const std::int64_t capacity = bucket_for(length, context_);
  if (capacity <= capacity_) return;
  storage_->resize(capacity, length_);
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
