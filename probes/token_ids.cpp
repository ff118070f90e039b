#include "probes/token_ids.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "harness/core/error.hpp"

namespace gonogo::probes {
namespace {

// SplitMix64 (Steele, Lea, Flood, 2014): position in, 64 well-mixed bits out.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

std::int64_t TokenSource::at(std::int64_t position) const {
  GONOGO_EXPECT(vocab > 0 && position >= 0, std::to_string(vocab) + " ids, position " + std::to_string(position));
  const auto size = static_cast<std::uint64_t>(vocab);
  const std::uint64_t bits = mix(mix(seed) + static_cast<std::uint64_t>(position));
  const auto octaves = static_cast<std::uint64_t>(std::bit_width(size - 1)) + 1;
  const std::uint64_t octave = (bits >> 48) % octaves;  // ids of `octave` significant bits
  if (octave == 0) return 0;
  const std::uint64_t low = std::uint64_t{1} << (octave - 1);
  const std::uint64_t count = std::min(low, size - low);
  return static_cast<std::int64_t>(low + (bits & 0xffffffffffffULL) % count);
}

std::vector<std::int64_t> TokenSource::range(std::int64_t begin, std::int64_t count) const {
  std::vector<std::int64_t> ids;
  ids.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) ids.push_back(at(begin + i));
  return ids;
}

void prime(engine::Session& session, const TokenSource& source, std::int64_t past) {
  if (session.length() > past) session.rewind(past);
  while (session.length() < past) {
    const std::int64_t rows = std::min(kPrimeChunk, past - session.length());
    (void)session.forward(source.range(session.length(), rows), engine::Mode::eager, engine::Wanted::nothing);
  }
}

}  // namespace gonogo::probes
