// How long the cache is: powers of two from 256, the last clamped to the context.
#pragma once

#include <cstdint>

namespace gonogo::engine {

inline constexpr std::int64_t kSmallestBucket = 256;

/// The capacity of the bucket for `length` tokens: at least `length`, at most `context`.
/// Throws UsageError with the numbers when length > context, LogicError when length < 0 or context < 1.
[[nodiscard]] std::int64_t bucket_for(std::int64_t length, std::int64_t context);

}  // namespace gonogo::engine
