#include <cstdint>
#include <string>
#include <vector>

#include "engine/kv/bucket.hpp"
#include "engine/kv/cache.hpp"
#include "harness/core/error.hpp"
#include "tests/catch.hpp"

using namespace gonogo;
using namespace gonogo::engine;

namespace {

std::string message_of(auto&& act) {
  try {
    act();
  } catch (const core::UsageError& error) {
    return error.what();
  }
  return "";
}

std::vector<KvShape> uneven_layers() {
  return {{core::DType::f32, 4, 8}, {core::DType::f32, 4, 8}, {core::DType::f16, 1, 12}, {core::DType::f16, 2, 6}};
}

/// Writes a value that names buffer, head, row and element into every valid row.
void fill(const KvCache& cache, std::int64_t rows) {
  for (std::size_t i = 0; i < cache.size(); ++i) {
    const core::Tensor t = cache.tensor(i);
    for (std::int64_t h = 0; h < t.shape[1]; ++h)
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t d = 0; d < t.shape[3]; ++d) {
          const std::int64_t at = (h * t.shape[2] + r) * t.shape[3] + d;
          const auto value = static_cast<std::int64_t>(i) * 7919 + h * 1009 + r * 13 + d + 1;
          if (t.dtype == core::DType::f32)
            t.as<float>()[at] = static_cast<float>(value);
          else
            t.as<std::uint16_t>()[at] = static_cast<std::uint16_t>(value);
        }
  }
}

int wrong_elements(const KvCache& cache, std::int64_t rows) {
  int wrong = 0;
  for (std::size_t i = 0; i < cache.size(); ++i) {
    const core::Tensor t = cache.tensor(i);
    for (std::int64_t h = 0; h < t.shape[1]; ++h)
      for (std::int64_t r = 0; r < t.shape[2]; ++r)
        for (std::int64_t d = 0; d < t.shape[3]; ++d) {
          const std::int64_t at = (h * t.shape[2] + r) * t.shape[3] + d;
          const std::int64_t want = r < rows ? static_cast<std::int64_t>(i) * 7919 + h * 1009 + r * 13 + d + 1 : 0;
          if (t.dtype == core::DType::f32)
            wrong += t.as<float>()[at] != static_cast<float>(want);
          else
            wrong += t.as<std::uint16_t>()[at] != static_cast<std::uint16_t>(want);
        }
  }
  return wrong;
}

}  // namespace

TEST_CASE("buckets are powers of two from 256, the last clamped to the context", "[kv]") {
  struct Row {
    std::int64_t length, context, want;
  };
  for (const Row& row :
       {Row{0, 4096, 256}, Row{1, 4096, 256}, Row{255, 4096, 256}, Row{256, 4096, 256}, Row{257, 4096, 512},
        Row{512, 4096, 512}, Row{513, 4096, 1024}, Row{2049, 4096, 4096}, Row{4096, 4096, 4096}, Row{257, 300, 300},
        Row{300, 300, 300}, Row{1, 100, 100}, Row{100, 100, 100}, Row{0, 1, 1},
        Row{(std::int64_t{1} << 62) + 1, std::int64_t{1} << 62 | 5, std::int64_t{1} << 62 | 5}}) {
    CAPTURE(row.length, row.context);
    CHECK(bucket_for(row.length, row.context) == row.want);
  }
}

TEST_CASE("a bucket is never below what is asked nor above the context, at every length", "[kv]") {
  for (const std::int64_t context : {1, 100, 255, 256, 257, 1000, 1024})
    for (std::int64_t length = 0; length <= context; ++length) {
      const std::int64_t bucket = bucket_for(length, context);
      if (bucket < length || bucket > context)
        FAIL("length " << length << ", context " << context << ", bucket " << bucket);
    }
  CHECK(message_of([] { (void)bucket_for(1025, 1024); }) ==
        "KV cache full: 1025 tokens wanted, the context holds 1024");
  CHECK_THROWS_AS(bucket_for(-1, 1024), core::LogicError);
}

TEST_CASE("a cache starts empty and zero in the smallest bucket, each layer with its own shape", "[kv]") {
  const KvCache cache(uneven_layers(), 1000);
  CHECK(cache.length() == 0);
  CHECK(cache.capacity() == 256);
  REQUIRE(cache.size() == 4);
  CHECK(cache.tensor(0).shape == core::Shape{1, 4, 256, 8});
  CHECK(cache.tensor(2).shape == core::Shape{1, 1, 256, 12});
  CHECK(cache.tensor(3).dtype == core::DType::f16);
  CHECK(cache.bytes_per_token() == 2 * 4 * 8 * 4 + 12 * 2 + 2 * 6 * 2);
  CHECK(wrong_elements(cache, 0) == 0);
}

TEST_CASE("growth keeps every valid row of every head, zeroes the rest and starts a new generation", "[kv]") {
  KvCache cache(uneven_layers(), 1000);
  cache.reserve(200);
  CHECK(cache.generation() == 0);
  cache.advance(200);
  fill(cache, 200);
  cache.reserve(256);
  CHECK(cache.growths() == 0);
  cache.reserve(257);
  CHECK(cache.capacity() == 512);
  CHECK(cache.generation() == 1);
  CHECK(cache.growths() == 1);
  CHECK(cache.length() == 200);
  CHECK(wrong_elements(cache, 200) == 0);
  cache.reserve(1000);
  CHECK(cache.capacity() == 1000);
  CHECK(wrong_elements(cache, 200) == 0);
  cache.tensor(3).as<std::uint16_t>()[0] ^= 1;  // negative control
  CHECK(wrong_elements(cache, 200) == 1);
}

TEST_CASE("growing an empty cache moves nothing and counts no growth, yet voids what was bound", "[kv]") {
  KvCache cache(uneven_layers(), 1000);
  cache.reserve(600);
  CHECK(cache.capacity() == 1000);
  CHECK(cache.growths() == 0);
  CHECK(cache.generation() == 1);
}

TEST_CASE("a full cache is a usage error with the numbers and changes nothing", "[kv]") {
  KvCache cache(uneven_layers(), 300);
  cache.reserve(300);
  cache.advance(300);
  CHECK(message_of([&] { cache.reserve(301); }) == "KV cache full: 301 tokens wanted, the context holds 300");
  CHECK(cache.length() == 300);
  CHECK(cache.capacity() == 300);
  CHECK_THROWS_AS(cache.advance(1), core::LogicError);
}

TEST_CASE("rewind forgets the newest rows and refuses lengths the cache does not hold", "[kv]") {
  KvCache cache(uneven_layers(), 1000);
  cache.reserve(300);
  cache.advance(300);
  cache.rewind(300);
  cache.rewind(17);
  CHECK(cache.length() == 17);
  CHECK(cache.capacity() == 512);
  CHECK(message_of([&] { cache.rewind(18); }) == "rewind to 18: the cache holds 17 tokens");
  CHECK(message_of([&] { cache.rewind(-1); }) == "rewind to -1: the cache holds 17 tokens");
  cache.rewind(0);
  CHECK(cache.length() == 0);
}
