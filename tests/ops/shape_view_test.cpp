#include "tests/catch.hpp"
#include "tests/ops/shape_fixture.hpp"

namespace gonogo::tests {
namespace {

using Longs = std::vector<std::int64_t>;

core::Shape reshaped(const core::Shape& from, const Longs& to, std::int64_t allowzero = 0) {
  OpRun op("Reshape", 21);
  op.attribute("allowzero", allowzero)
      .input(floats(from, std::vector<float>(static_cast<std::size_t>(core::count_of(from)), 2.0F)));
  op.input(longs({std::ssize(to)}, to));
  const auto outputs = op.run();
  CHECK(op.is_view());
  for (const float value : values_of<float>(outputs[0])) CHECK(value == 2.0F);
  return outputs[0].shape;
}

std::string reshape_refusal(const core::Shape& from, const Longs& to, std::int64_t allowzero = 0) {
  OpRun op("Reshape", 21);
  op.attribute("allowzero", allowzero)
      .input(floats(from, std::vector<float>(static_cast<std::size_t>(core::count_of(from)))));
  return op.input(longs({std::ssize(to)}, to)).refusal();
}

TEST_CASE("Reshape copies an extent for 0, computes one for -1, and keeps the values") {
  CHECK(reshaped({2, 3, 4}, {0, -1, 2}) == core::Shape{2, 6, 2});
  CHECK(reshaped({2, 3, 4}, {24}) == core::Shape{24});
  CHECK(reshaped({1}, {}) == core::Shape{});
  CHECK(reshaped({2, 0}, {0, 5, 0}, 1) == core::Shape{0, 5, 0});
  CHECK(reshaped({0, 3}, {3, -1}) == core::Shape{3, 0});
}

TEST_CASE("Reshape refuses shapes that do not hold the same elements") {
  CHECK_FALSE(reshape_refusal({2, 3}, {4, 2}).empty());
  CHECK_FALSE(reshape_refusal({2, 3}, {-1, -1}).empty());
  CHECK_FALSE(reshape_refusal({2, 3}, {-1, 4}).empty());
  CHECK_FALSE(reshape_refusal({2, 3}, {-2, 3}).empty());
  CHECK_FALSE(reshape_refusal({6}, {2, 0}).empty());
  CHECK_FALSE(reshape_refusal({0, 3}, {0, -1}, 1).empty());
  CHECK_FALSE(reshape_refusal({2}, {std::int64_t{1} << 40, std::int64_t{1} << 40}).empty());
}

TEST_CASE("Reshape refuses a target that is computed from data, or is no int64") {
  CHECK(OpRun("Reshape", 21)
            .input(floats({2}, {1, 2}))
            .input(longs({1}, {2}))
            .unknown()
            .refusal()
            .find("known before running") != std::string::npos);
  CHECK(
      OpRun("Reshape", 21).input(floats({2}, {1, 2})).input(ints({1}, {2})).refusal().find("wanted int64, got int32") !=
      std::string::npos);
}

TEST_CASE("Unsqueeze and Squeeze read axes from the attribute before opset 13 and from the input since") {
  CHECK(OpRun("Unsqueeze", 13).input(floats({2, 3}, std::vector<float>(6))).input(longs({2}, {0, -1})).run()[0].shape ==
        core::Shape{1, 2, 3, 1});
  CHECK(
      OpRun("Unsqueeze", 11).attribute("axes", Longs{1}).input(floats({2, 3}, std::vector<float>(6))).run()[0].shape ==
      core::Shape{2, 1, 3});
  CHECK(OpRun("Squeeze", 13).input(floats({1, 2, 1}, {1, 2})).input(longs({1}, {-1})).run()[0].shape ==
        core::Shape{1, 2});
  CHECK(OpRun("Squeeze", 13).input(floats({1, 2, 1}, {1, 2})).run()[0].shape == core::Shape{2});
  CHECK(OpRun("Squeeze", 11).attribute("axes", Longs{0}).input(floats({1, 2, 1}, {1, 2})).run()[0].shape ==
        core::Shape{2, 1});
}

TEST_CASE("Unsqueeze and Squeeze refuse axes that do not fit") {
  CHECK_FALSE(OpRun("Squeeze", 13).input(floats({1, 2}, {1, 2})).input(longs({1}, {1})).refusal().empty());
  CHECK_FALSE(OpRun("Squeeze", 13).input(floats({1, 2}, {1, 2})).input(longs({1}, {2})).refusal().empty());
  CHECK_FALSE(OpRun("Unsqueeze", 13).input(floats({2}, {1, 2})).input(longs({2}, {0, 0})).refusal().empty());
  CHECK_FALSE(OpRun("Unsqueeze", 13).attribute("axes", Longs{0}).input(floats({2}, {1, 2})).refusal().empty());
}

TEST_CASE("Flatten joins the extents before and after its axis") {
  CHECK(OpRun("Flatten", 13)
            .attribute("axis", std::int64_t{2})
            .input(floats({2, 3, 4}, std::vector<float>(24)))
            .run()[0]
            .shape == core::Shape{6, 4});
  CHECK(OpRun("Flatten", 13)
            .attribute("axis", std::int64_t{0})
            .input(floats({2, 3}, std::vector<float>(6)))
            .run()[0]
            .shape == core::Shape{1, 6});
  CHECK(OpRun("Flatten", 13)
            .attribute("axis", std::int64_t{2})
            .input(floats({2, 3}, std::vector<float>(6)))
            .run()[0]
            .shape == core::Shape{6, 1});
}

TEST_CASE("Identity is a view") {
  OpRun op("Identity", 21);
  CHECK(values_of<float>(op.input(floats({2}, {1, 2})).run()[0]) == std::vector<float>{1, 2});
  CHECK(op.is_view());
}

}  // namespace
}  // namespace gonogo::tests
