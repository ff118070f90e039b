// What an operation must move and compute: the byte and FLOP model beside every kernel.
#pragma once

#include <cstdint>

namespace gonogo::core {

struct Work {
  std::int64_t weight_bytes = 0;      // constant data read: codes, scales, zero points, tables
  std::int64_t activation_bytes = 0;  // inputs read and outputs written
  std::int64_t kv_bytes = 0;          // cache read and appended
  std::int64_t flops = 0;             // a multiply-add counts two

  [[nodiscard]] std::int64_t bytes() const { return weight_bytes + activation_bytes + kv_bytes; }
  Work& operator+=(const Work& other) {
    weight_bytes += other.weight_bytes;
    activation_bytes += other.activation_bytes;
    kv_bytes += other.kv_bytes;
    flops += other.flops;
    return *this;
  }
  friend bool operator==(const Work&, const Work&) = default;
};

}  // namespace gonogo::core
