#include <algorithm>
#include <set>

#include "probes/token_ids.hpp"
#include "tests/catch.hpp"
#include "tests/probes/fake_session.hpp"

using gonogo::probes::prime;
using gonogo::probes::TokenSource;
using gonogo::tests::FakeScript;
using gonogo::tests::FakeSession;

TEST_CASE("seeded ids stay inside the vocabulary, vary, and favour low ids") {
  for (const std::int64_t vocab : {1, 2, 3, 100, 32000, 151552}) {
    const auto ids = TokenSource{7, vocab}.range(0, 4000);
    CAPTURE(vocab);
    REQUIRE(ids.size() == 4000);
    CHECK(*std::min_element(ids.begin(), ids.end()) >= 0);
    CHECK(*std::max_element(ids.begin(), ids.end()) < vocab);
    const std::set<std::int64_t> distinct(ids.begin(), ids.end());
    CHECK(static_cast<std::int64_t>(distinct.size()) >= std::min<std::int64_t>(vocab, 100));
    if (vocab < 1000) continue;
    const auto low = std::count_if(ids.begin(), ids.end(), [&](auto id) { return id < vocab / 16; });
    CHECK(low > 2000);  // the low 1/16 of the ids gets more than half of the text
    CHECK(low < 3900);
  }
}

TEST_CASE("an id depends on seed and position, not on how the sequence is cut") {
  const TokenSource source{3, 1000};
  auto pieces = source.range(0, 17);
  const auto rest = source.range(17, 50);
  pieces.insert(pieces.end(), rest.begin(), rest.end());
  CHECK(pieces == source.range(0, 67));
  CHECK(TokenSource{4, 1000}.range(0, 67) != pieces);
}

TEST_CASE("priming makes the cache hold the asked length in chunks, forward and back") {
  FakeSession session{FakeScript{}};
  const TokenSource source{1, session.model().vocab};
  prime(session, source, 300);
  CHECK(session.length() == 300);
  REQUIRE(session.calls().size() == 3);  // 128 + 128 + 44
  CHECK(session.calls()[2].width == 44);
  CHECK(session.calls()[2].ids == source.range(256, 44));
  prime(session, source, 20);
  CHECK(session.length() == 20);
  CHECK(session.calls().size() == 3);
}
