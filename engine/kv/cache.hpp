// The key/value cache: one buffer pair per layer at the capacity of the current bucket, valid up to a length.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/allocation.hpp"
#include "harness/core/tensor.hpp"

namespace gonogo::engine {

/// One cache buffer, as the graph declares it: [1, heads, capacity, dim].
struct KvShape {
  core::DType dtype = core::DType::f32;
  std::int64_t heads = 0;
  std::int64_t dim = 0;
};

/// Buffers may differ in heads and dim. Fresh memory is zero: kernels may read, masked, past the valid length.
class KvCache {
 public:
  /// Buffers for an empty cache in the smallest bucket.
  KvCache(std::vector<KvShape> shapes, std::int64_t context);

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
  [[nodiscard]] std::size_t size() const { return buffers_.size(); }

  /// Makes room for `length` tokens: a no-op within the bucket, else new buffers, valid rows moved, a new generation.
  /// Throws UsageError with the numbers when `length` exceeds the context; then nothing has changed.
  void reserve(std::int64_t length);
  /// `count` rows have been written after the valid ones.
  void advance(std::int64_t count);
  /// Forgets the rows past `length`. Throws UsageError unless 0 <= length <= length().
  void rewind(std::int64_t length);

 private:
  struct Buffer {
    KvShape shape;
    core::HostBuffer memory;
  };
  [[nodiscard]] Buffer make(const KvShape& shape, std::int64_t capacity) const;
  void move_rows(const Buffer& from, Buffer& to, std::int64_t to_capacity) const;

  std::vector<Buffer> buffers_;
  std::int64_t context_ = 0;
  std::int64_t capacity_ = 0;
  std::int64_t length_ = 0;
  std::int64_t generation_ = 0;
  std::int64_t growths_ = 0;
};

}  // namespace gonogo::engine
