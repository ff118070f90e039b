// Streams: an owner and a view. Every function that launches, copies or allocates takes a StreamRef, last and never
// defaulted.
#pragma once

#include <cstddef>
#include <memory>

struct CUstream_st;

namespace gonogo::core {

/// A view of a stream. The legacy default stream cannot be named: it orders itself against all others and cannot be
/// captured.
class StreamRef {
 public:
  explicit StreamRef(CUstream_st* handle);  // throws LogicError on null and on the two default-stream handles
  StreamRef(std::nullptr_t) = delete;
  StreamRef(int) = delete;
  [[nodiscard]] CUstream_st* get() const noexcept { return handle_; }

  /// Waits until all work in the stream is done. Throws what the work failed with.
  void synchronize() const;
  [[nodiscard]] bool capturing() const;

 private:
  CUstream_st* handle_;
};

/// A non-blocking stream on the current device. Move-only.
class Stream {
 public:
  Stream();
  [[nodiscard]] StreamRef ref() const { return StreamRef(handle_.get()); }
  operator StreamRef() const { return ref(); }  // NOLINT: an owner is usable where a view is asked

 private:
  struct Destroy {
    void operator()(CUstream_st* handle) const noexcept;
  };
  std::unique_ptr<CUstream_st, Destroy> handle_;
};

}  // namespace gonogo::core
