// The key/value cache: one buffer pair per layer at the capacity of the current bucket, valid up to a length.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/kv/storage.hpp"

namespace gonogo::engine {

/// Buffers may differ in heads and dim. Fresh memory is zero: kernels may read, masked, past the valid length.
class KvCache {
 public:
  /// Buffers for an empty cache in the smallest bucket, in host memory.
  KvCache(std::vector<KvShape> shapes, std::int64_t context);
  /// The same in `storage`, which was made for these shapes.
  KvCache(std::vector<KvShape> shapes, std::int64_t context, std::unique_ptr<KvStorage> storage);

  [[nodiscard]] std::int64_t length() const { return length_; }      // valid tokens
  [[nodiscard]] std::int64_t capacity() const { return capacity_; }  // of the current bucket
  [[nodiscard]] std::int64_t context() const { return context_; }    // most tokens ever
  /// Changes whenever the buffers move: what was bound to them before is void.
  [[nodiscard]] std::int64_t generation() const { return generation_; }
  /// Growths that moved valid rows.
  [[nodiscard]] std::int64_t growths() const { return growths_; }
  [[nodiscard]] std::int64_t bytes_per_token() const;

  /// Buffer i as [1, heads, capacity, dim].
  [[nodiscard]] core::Tensor tensor(std::size_t i) const;
  [[nodiscard]] std::size_t size() const { return shapes_.size(); }

  /// Makes room for `length` tokens: a no-op within the bucket, else new buffers, valid rows moved, a new generation.
  /// Throws UsageError with the numbers when `length` exceeds the context; then nothing has changed.
  void reserve(std::int64_t length);
  /// `count` rows have been written after the valid ones.
  void advance(std::int64_t count);
  /// Forgets the rows past `length`. Throws UsageError unless 0 <= length <= length().
  void rewind(std::int64_t length);

 private:
  std::vector<KvShape> shapes_;
  std::unique_ptr<KvStorage> storage_;
  std::int64_t context_ = 0;
  std::int64_t capacity_ = 0;
  std::int64_t length_ = 0;
  std::int64_t generation_ = 0;
  std::int64_t growths_ = 0;
};

}  // namespace gonogo::engine
