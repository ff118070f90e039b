// Memory for a kernel under test: filled with NaN, with guard bytes after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "harness/core/allocation.hpp"

namespace gonogo::tests {

/// `count` elements of T, every byte 0xFF (a NaN as float), then 64 guard bytes.
template <class T>
class Guarded {
 public:
  explicit Guarded(std::size_t count) : count_(count), buffer_(count * sizeof(T) + kGuard) {
    std::memset(buffer_.data(), 0xFF, count * sizeof(T));
    std::memset(buffer_.data() + count * sizeof(T), kMark, kGuard);
  }
  [[nodiscard]] T* data() const { return buffer_.as<T>(); }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::vector<T> values() const { return {data(), data() + count_}; }
  [[nodiscard]] bool guard_intact() const {
    const std::byte* guard = buffer_.data() + count_ * sizeof(T);
    for (std::size_t i = 0; i < kGuard; ++i)
      if (guard[i] != std::byte{kMark}) return false;
    return true;
  }

 private:
  static constexpr std::size_t kGuard = 64;
  static constexpr unsigned char kMark = 0xA5;
  std::size_t count_;
  core::HostBuffer buffer_;
};

/// |got - want| / bound at its worst, infinite when anything is not finite or sizes differ.
inline double worst_ratio(const std::vector<float>& got, const std::vector<double>& want,
                          const std::vector<double>& bound) {
  double worst = 0.0;
  if (got.size() != want.size()) return std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = static_cast<double>(got[i]) - want[i];
    const double ratio = error == 0.0 ? 0.0 : (error < 0 ? -error : error) / bound[i];
    if (!(ratio <= worst)) worst = ratio == ratio ? ratio : std::numeric_limits<double>::infinity();
  }
  return worst;
}

}  // namespace gonogo::tests
