#include "harness/core/tensor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/core/error.hpp"

namespace gonogo::core {

std::int64_t count_of(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    GONOGO_EXPECT(extent >= 0, to_string(shape));
    GONOGO_EXPECT(!__builtin_mul_overflow(count, extent, &count), to_string(shape));
  }
  return count;
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

}  // namespace gonogo::core
