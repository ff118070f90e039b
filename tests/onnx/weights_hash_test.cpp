#include <algorithm>
#include <random>

#include "engine/onnx/weights_hash.hpp"
#include "tests/catch.hpp"
#include "tests/onnx/proto_builder.hpp"

namespace gonogo::tests {
namespace {

std::string random_bytes(std::size_t count) {
  std::mt19937_64 random(7);
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

TEST_CASE("the hash covers every byte, and depends neither on threads nor on the folder") {
  const TempFolder folder;
  constexpr std::size_t kBytes = (std::size_t{20} << 20) + 13;  // two chunks and a tail
  std::string data = random_bytes(kBytes);
  const auto hash = [&](const std::string& place, int threads) {
    folder.write(place + "/w", data);
    return onnx::weights_hash(onnx::load(folder.write(place + "/model.onnx", small_external_model("w").bytes())),
                              threads);
  };
  const std::string whole = hash("a", 1);
  CHECK(whole.size() == 4 + 16);
  CHECK(hash("a", 3) == whole);
  CHECK(hash("b", 2) == whole);
  for (const std::size_t at : {std::size_t{0}, std::size_t{8} << 20, kBytes - 1}) {
    data[at] = static_cast<char>(data[at] ^ 1);
    CHECK(hash("a", 2) != whole);
    data[at] = static_cast<char>(data[at] ^ 1);
  }
  CHECK(hash("a", 2) == whole);
  std::swap(data[100], data[9 << 20]);
  CHECK(hash("a", 2) != whole);
}

TEST_CASE("runs of zeros of different lengths hash differently") {
  std::vector<std::uint64_t> hashes;
  const std::string zeros(100, '\0');
  for (std::size_t length = 0; length <= zeros.size(); ++length)
    hashes.push_back(onnx::hash_bytes(std::as_bytes(std::span(zeros.data(), length)), 0));
  std::sort(hashes.begin(), hashes.end());
  CHECK(std::adjacent_find(hashes.begin(), hashes.end()) == hashes.end());
}

}  // namespace
}  // namespace gonogo::tests
