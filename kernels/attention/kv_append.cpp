#include "kernels/attention/kv_append.hpp"

#include <fmt/format.h>

#include <cstring>

#include "harness/core/half.hpp"

namespace gonogo::kernels::attention {

void kv_append(const CacheShape& shape, std::byte* cache, const HeadRows<const float>& rows, const std::int64_t* first,
               std::int64_t count) {
  const auto width = static_cast<std::size_t>(shape.head_dim);
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    GONOGO_EXPECT(first[b] >= 0 && first[b] + count <= shape.capacity,
                  fmt::format("rows {} to {} of a cache of {}", first[b], first[b] + count, shape.capacity));
    for (std::int64_t h = 0; h < shape.kv_heads; ++h)
      for (std::int64_t row = 0; row < count; ++row) {
        const std::int64_t at = ((b * shape.kv_heads + h) * shape.capacity + first[b] + row) * shape.head_dim;
        const float* from = rows.at(b, row, h);
        if (shape.type == core::DType::f32)
          std::memcpy(reinterpret_cast<float*>(cache) + at, from, width * sizeof(float));
        else
          core::f32_to_f16(from, reinterpret_cast<std::uint16_t*>(cache) + at, width);
      }
  }
}

}  // namespace gonogo::kernels::attention
