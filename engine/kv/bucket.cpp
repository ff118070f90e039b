#include "engine/kv/bucket.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "harness/core/error.hpp"

namespace gonogo::engine {

std::int64_t bucket_for(std::int64_t length, std::int64_t context) {
  GONOGO_EXPECT(length >= 0 && context >= 1, fmt::format("length {}, context {}", length, context));
  if (length > context)
    throw core::UsageError(fmt::format("KV cache full: {} tokens wanted, the context holds {}", length, context));
  // Above 2^62 a power of two would overflow; the context is the answer there anyway.
  if (length > (std::int64_t{1} << 62)) return context;
  const auto power = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(length)));
  return std::min(std::max(power, kSmallestBucket), context);
}

}  // namespace gonogo::engine
