// A valid file damaged at many places: every damage ends in a core::InputError or in a model that loads and builds.
#include <random>

#include "engine/graph/graph.hpp"
#include "engine/onnx/model.hpp"
#include "harness/core/error.hpp"
#include "tests/catch.hpp"
#include "tests/onnx/proto_builder.hpp"

namespace gonogo::tests {
namespace {

/// Every kind of field that the loader reads.
std::string rich_model() {
  ModelBuilder builder = small_model();
  builder.external("e", {2}, "w", "4", "8").integers("shape", {2}, {0, -1});
  auto& halves = builder.initializer("h", 10, {2});
  halves.add_int32_data(1);
  halves.add_int32_data(2);
  auto& node = builder.node("Reshape", {"y", "shape"}, {"r"});
  set_integer(node, "allowzero", 0);
  auto& constant = builder.node("Constant", {}, {"c"});
  auto* attribute = constant.add_attribute();
  attribute->set_name("value");
  attribute->set_type(::onnx::AttributeProto::TENSOR);
  attribute->mutable_t()->set_data_type(7);
  attribute->mutable_t()->add_dims(1);
  attribute->mutable_t()->add_int64_data(5);
  set_integers(builder.node("Split", {"r", ""}, {"s", ""}, "com.microsoft"), "split", {1, 1});
  return builder.bytes();
}

/// True when it loads and builds, false when it is refused; anything else fails the test.
bool survives(const std::filesystem::path& file) {
  try {
    (void)graph::build(onnx::load(file));
    return true;
  } catch (const core::InputError& error) {
    CHECK_FALSE(std::string(error.what()).empty());
    return false;
  }
}

TEST_CASE("a file cut at any byte is refused or loads") {
  const TempFolder folder;
  folder.write("w", std::string(16, 'w'));
  const std::string whole = rich_model();
  REQUIRE(survives(folder.write("model.onnx", whole)));
  int refused = 0;
  for (std::size_t length = 0; length < whole.size(); ++length)
    if (!survives(folder.write("model.onnx", whole.substr(0, length)))) ++refused;
  CHECK(refused > static_cast<int>(whole.size()) / 2);
}

TEST_CASE("a file with any bit flipped is refused or loads") {
  const TempFolder folder;
  folder.write("w", std::string(16, 'w'));
  std::string bytes = rich_model();
  int refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      if (!survives(folder.write("model.onnx", bytes))) ++refused;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
    }
  CHECK(refused > 0);
  CHECK(survives(folder.write("model.onnx", bytes)));
}

TEST_CASE("a file with random bytes overwritten is refused or loads") {
  const TempFolder folder;
  folder.write("w", std::string(16, 'w'));
  const std::string whole = rich_model();
  constexpr unsigned kSeed = 20;
  std::mt19937 random(kSeed);
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = whole;
    for (int i = 0; i < 4; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
    if (!survives(folder.write("model.onnx", bytes))) ++refused;
  }
  CAPTURE(kSeed);
  CHECK(refused > 1000);
}

}  // namespace
}  // namespace gonogo::tests
