// Shapes and non-owning typed views of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/dtype.hpp"

namespace gonogo::core {

using Shape = std::vector<std::int64_t>;

/// Elements of a shape; 1 for a scalar. Throws LogicError on a negative extent or an overflow.
[[nodiscard]] std::int64_t count_of(const Shape& shape);
/// "[1, 8, 4096]"
[[nodiscard]] std::string to_string(const Shape& shape);

enum class MemorySpace { host, device };

/// A view: row-major, dense, no strides. Does not own; `data` may be null for a tensor that has no storage yet.
struct Tensor {
  DType dtype = DType::f32;
  Shape shape;
  std::byte* data = nullptr;
  MemorySpace space = MemorySpace::host;

  [[nodiscard]] std::int64_t count() const { return count_of(shape); }
  [[nodiscard]] std::size_t bytes() const { return bytes_of(dtype, count()); }
  template <class T>
  [[nodiscard]] T* as() const {
    return reinterpret_cast<T*>(data);
  }
};

}  // namespace gonogo::core
