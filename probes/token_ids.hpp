// Seeded token ids and the priming of a cache with them.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/session/session.hpp"

namespace gonogo::probes {

/// A sequence fixed by a seed: the id at a position does not depend on how the sequence is cut into forwards. Ids
/// spread evenly over the octaves of the vocabulary, so that low ids are frequent as in the byte-pair vocabularies of
/// real models.
struct TokenSource {
  std::uint64_t seed = 1;
  std::int64_t vocab = 1;

  [[nodiscard]] std::int64_t at(std::int64_t position) const;
  [[nodiscard]] std::vector<std::int64_t> range(std::int64_t begin, std::int64_t count) const;
};

/// Makes the cache hold exactly the first `past` ids of `source`, in chunks of at most `kPrimeChunk` eager rows. Tokens
/// already there are taken to be of the same source.
void prime(engine::Session& session, const TokenSource& source, std::int64_t past);
inline constexpr std::int64_t kPrimeChunk = 128;

}  // namespace gonogo::probes
