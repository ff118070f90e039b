// A bump allocator over given bytes, with a counting mode: sizing and filling run one code path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "harness/core/error.hpp"

namespace gonogo::core {

class Scratch {
 public:
  /// Counts only: take() returns null and used() grows.
  Scratch() = default;
  explicit Scratch(std::span<std::byte> bytes) : bytes_(bytes), counting_(false) {}

  /// `count` elements, 64-byte aligned, uninitialised. Throws LogicError when the bytes run out.
  template <class T>
  [[nodiscard]] T* take(std::int64_t count) {
    const std::size_t wanted = (static_cast<std::size_t>(count) * sizeof(T) + 63) / 64 * 64;
    const std::size_t at = used_;
    used_ += wanted;
    if (counting_) return nullptr;
    GONOGO_EXPECT(used_ <= bytes_.size(), std::to_string(used_) + " bytes of " + std::to_string(bytes_.size()));
    return reinterpret_cast<T*>(bytes_.data() + at);
  }
  [[nodiscard]] std::size_t used() const { return used_; }
  [[nodiscard]] bool counting() const { return counting_; }

 private:
  std::span<std::byte> bytes_;
  std::size_t used_ = 0;
  bool counting_ = true;
};

}  // namespace gonogo::core
