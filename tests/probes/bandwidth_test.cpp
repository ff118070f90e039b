#include <nlohmann/json.hpp>
#include <cstring>

#include "harness/core/allocation.hpp"
#include "probes/bandwidth.hpp"
#include "probes/read_sum.hpp"
#include "tests/catch.hpp"

using namespace gonogo;

TEST_CASE("the read loop reads every byte: one changed byte changes the sum") {
  for (const std::size_t bytes : {512UL, 1024UL, 4608UL, 65536UL}) {
    core::HostBuffer buffer(bytes);
    std::memset(buffer.data(), 1, bytes);
    const auto sum = probes::read_sum(buffer.data(), bytes);
    CHECK(sum == bytes / 8 * 0x0101010101010101ULL);
    for (const std::size_t at : {std::size_t{0}, bytes / 2 + 3, bytes - 1}) {
      buffer.data()[at] = std::byte{2};
      CHECK(probes::read_sum(buffer.data(), bytes) != sum);
      buffer.data()[at] = std::byte{1};
    }
  }
}

TEST_CASE("read bandwidth covers the working set with every thread and says what it did") {
  const auto one = probes::measure_read_bandwidth(1 << 20, 1, 10);
  CHECK(one.working_set == 1 << 20);
  CHECK(one.threads == 1);
  CHECK(one.repetitions >= 5);
  CHECK(one.bytes_per_second > 1e8);   // slower than any machine of the last decades
  CHECK(one.bytes_per_second < 1e13);  // faster than any cache
  const auto two = probes::measure_read_bandwidth(1'000'001, 2, 10);
  CHECK(two.threads == 2);
  CHECK(two.working_set >= 1'000'001);
  CHECK(two.working_set % 1024 == 0);
  const auto json = probes::to_json(two);
  CHECK(json["threads"] == 2);
  CHECK(json["bytes_per_second"].get<double>() > 0);
}
