// Writes new key or value rows into a cache, rounding to its type.
#pragma once

#include "kernels/attention/attention.hpp"

namespace gonogo::kernels::attention {

struct CacheShape {
  std::int64_t batch = 1, kv_heads = 1, capacity = 0, head_dim = 8;
  core::DType type = core::DType::f32;
  [[nodiscard]] std::int64_t count() const { return batch * kv_heads * capacity * head_dim; }
};

/// cache[b][h][first[b] + row] = rows.at(b, row, h), row < count; rounds once, to nearest even, into a float16 cache.
/// Throws LogicError when a row would fall outside [0, capacity).
void kv_append(const CacheShape& shape, std::byte* cache, const HeadRows<const float>& rows, const std::int64_t* first,
               std::int64_t count);

}  // namespace gonogo::kernels::attention
