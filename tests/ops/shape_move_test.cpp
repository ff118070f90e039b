#include "tests/catch.hpp"
#include "tests/ops/shape_fixture.hpp"

namespace gonogo::tests {
namespace {

using Longs = std::vector<std::int64_t>;
using Floats = std::vector<float>;

OwnedTensor counting(const core::Shape& shape) {
  Floats values(static_cast<std::size_t>(core::count_of(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return floats(shape, values);
}

TEST_CASE("Shape yields the extents, whole or in part") {
  CHECK(values_of<std::int64_t>(OpRun("Shape", 21).input(counting({2, 3, 4})).run()[0]) == Longs{2, 3, 4});
  OpRun part("Shape", 15);
  CHECK(values_of<std::int64_t>(part.attribute("start", std::int64_t{-2})
                                    .attribute("end", std::int64_t{2})
                                    .input(counting({2, 3, 4}))
                                    .run()[0]) == Longs{3});
  OpRun none("Shape", 15);
  CHECK(none.attribute("start", std::int64_t{2})
            .attribute("end", std::int64_t{1})
            .input(counting({2, 3, 4}))
            .run()[0]
            .shape == core::Shape{0});
  CHECK(OpRun("Shape", 13).attribute("start", std::int64_t{1}).input(counting({2, 3})).refusal().find("got start") !=
        std::string::npos);
}

TEST_CASE("Constant yields each kind of value") {
  CHECK(values_of<std::int64_t>(OpRun("Constant", 21).attribute("value_int", std::int64_t{5}).run()[0]) == Longs{5});
  const auto outputs = OpRun("Constant", 21).attribute("value_ints", Longs{5, 6}).run();
  CHECK(outputs[0].shape == core::Shape{2});
  OpRun tensor("Constant", 21);
  const OwnedTensor value = floats({1, 2}, {3, 4});
  CHECK(values_of<float>(tensor.attribute("value", value.tensor).run()[0]) == Floats{3, 4});
  CHECK(values_of<float>(OpRun("Constant", 21).attribute("value_floats", Floats{1, 2}).run()[0]) == Floats{1, 2});
  CHECK(values_of<float>(OpRun("Constant", 21).attribute("value_float", 2.5F).run()[0]) == Floats{2.5F});
  CHECK_FALSE(OpRun("Constant", 21).attribute("value_string", std::string("x")).refusal().empty());
  CHECK_FALSE(OpRun("Constant", 21).refusal().empty());
}

TEST_CASE("Range counts up and down, and refuses a step of 0 or a length beyond reason") {
  const auto range = [](std::int64_t start, std::int64_t limit, std::int64_t delta) {
    OpRun op("Range", 11);
    op.input(longs({}, {start})).input(longs({}, {limit})).input(longs({}, {delta}));
    return op;
  };
  CHECK(values_of<std::int64_t>(range(1, 8, 3).run()[0]) == Longs{1, 4, 7});
  CHECK(values_of<std::int64_t>(range(3, -1, -2).run()[0]) == Longs{3, 1});
  CHECK(range(3, 1, 1).run()[0].shape == core::Shape{0});
  CHECK(range(0, 4, 0).refusal().find("delta") != std::string::npos);
  CHECK(range(0, INT64_MAX, 1).refusal().find("elements") != std::string::npos);
  CHECK(values_of<float>(
            OpRun("Range", 11).input(floats({}, {0})).input(floats({}, {1})).input(floats({}, {0.5F})).run()[0]) ==
        Floats{0, 0.5F});
}

TEST_CASE("Concat joins along any axis, empty parts included") {
  OpRun op("Concat", 13);
  op.attribute("axis", std::int64_t{-1})
      .input(floats({2, 1}, {1, 2}))
      .input(floats({2, 0}, {}))
      .input(floats({2, 2}, {3, 4, 5, 6}));
  const auto outputs = op.run();
  CHECK(outputs[0].shape == core::Shape{2, 3});
  CHECK(values_of<float>(outputs[0]) == Floats{1, 3, 4, 2, 5, 6});
  CHECK_FALSE(OpRun("Concat", 13)
                  .attribute("axis", std::int64_t{0})
                  .input(floats({2, 1}, {1, 2}))
                  .input(floats({2, 2}, {1, 2, 3, 4}))
                  .refusal()
                  .empty());
  CHECK_FALSE(OpRun("Concat", 13)
                  .attribute("axis", std::int64_t{0})
                  .input(floats({1}, {1}))
                  .input(longs({1}, {1}))
                  .refusal()
                  .empty());
  CHECK_FALSE(OpRun("Concat", 13).input(floats({1}, {1})).refusal().empty());
}

TEST_CASE("Split cuts by sizes, evenly, or with a smaller last part since opset 18") {
  OpRun sized("Split", 21);
  sized.outputs(2).attribute("axis", std::int64_t{-1}).input(counting({2, 3})).input(longs({2}, {1, 2}));
  const auto parts = sized.run();
  CHECK(values_of<float>(parts[0]) == Floats{0, 3});
  CHECK(values_of<float>(parts[1]) == Floats{1, 2, 4, 5});
  const auto even = OpRun("Split", 13).outputs(3).input(counting({3, 2})).run();
  CHECK(values_of<float>(even[2]) == Floats{4, 5});
  const auto uneven =
      OpRun("Split", 18).outputs(2).attribute("num_outputs", std::int64_t{2}).input(counting({5})).run();
  CHECK(values_of<float>(uneven[1]) == Floats{3, 4});
  const auto old = OpRun("Split", 11).outputs(2).attribute("split", Longs{3, 1}).input(counting({4})).run();
  CHECK(values_of<float>(old[1]) == Floats{3});
}

TEST_CASE("Split refuses sizes that do not add up, and neither or both ways of giving them") {
  CHECK_FALSE(OpRun("Split", 13).outputs(2).input(counting({3})).refusal().empty());
  CHECK_FALSE(OpRun("Split", 13).outputs(2).input(counting({3})).input(longs({2}, {1, 1})).refusal().empty());
  CHECK_FALSE(OpRun("Split", 13).outputs(2).input(counting({3})).input(longs({2}, {4, -1})).refusal().empty());
  CHECK_FALSE(OpRun("Split", 13).outputs(2).input(counting({3})).input(longs({3}, {1, 1, 1})).refusal().empty());
  CHECK_FALSE(OpRun("Split", 18).outputs(2).input(counting({4})).refusal().empty());
  CHECK_FALSE(OpRun("Split", 18)
                  .outputs(2)
                  .attribute("num_outputs", std::int64_t{2})
                  .input(counting({4}))
                  .input(longs({2}, {2, 2}))
                  .refusal()
                  .empty());
}

TEST_CASE("Transpose permutes axes, reversing them by default") {
  const auto turned = OpRun("Transpose", 13).input(counting({2, 3})).run();
  CHECK(turned[0].shape == core::Shape{3, 2});
  CHECK(values_of<float>(turned[0]) == Floats{0, 3, 1, 4, 2, 5});
  const auto moved = OpRun("Transpose", 13).attribute("perm", Longs{1, 0, 2}).input(counting({2, 2, 2})).run();
  CHECK(values_of<float>(moved[0]) == Floats{0, 1, 4, 5, 2, 3, 6, 7});
  CHECK_FALSE(OpRun("Transpose", 13).attribute("perm", Longs{0, 0}).input(counting({2, 3})).refusal().empty());
  CHECK_FALSE(OpRun("Transpose", 13).attribute("perm", Longs{0}).input(counting({2, 3})).refusal().empty());
  CHECK_FALSE(OpRun("Transpose", 13).attribute("perm", Longs{}).input(counting({2, 3})).refusal().empty());
}

TEST_CASE("Expand broadcasts both ways") {
  const auto wide = OpRun("Expand", 13).input(floats({2, 1}, {1, 2})).input(longs({3}, {2, 1, 2})).run();
  CHECK(wide[0].shape == core::Shape{2, 2, 2});
  CHECK(values_of<float>(wide[0]) == Floats{1, 1, 2, 2, 1, 1, 2, 2});
  CHECK(OpRun("Expand", 13).input(counting({2, 3})).input(longs({1}, {1})).run()[0].shape == core::Shape{2, 3});
  CHECK_FALSE(OpRun("Expand", 13).input(counting({2, 3})).input(longs({1}, {2})).refusal().empty());
  CHECK_FALSE(OpRun("Expand", 13).input(counting({1})).input(longs({1}, {-1})).refusal().empty());
}

TEST_CASE("Slice cuts forwards and backwards, from the end, clamped") {
  const auto slice = [](const Longs& starts, const Longs& ends, const Longs& axes, const Longs& steps) {
    OpRun op("Slice", 13);
    const auto list = [](const Longs& values) { return longs({std::ssize(values)}, values); };
    op.input(counting({2, 5}))
        .input(list(starts))
        .input(list(ends))
        .input(axes.empty() ? absent() : list(axes))
        .input(list(steps));
    return values_of<float>(op.run()[0]);
  };
  CHECK(slice({1}, {INT64_MAX}, {-1}, {1}) == Floats{1, 2, 3, 4, 6, 7, 8, 9});
  CHECK(slice({0, -2}, {1, 5}, {}, {1, 1}) == Floats{3, 4});
  CHECK(slice({-1}, {INT64_MIN}, {1}, {-2}) == Floats{4, 2, 0, 9, 7, 5});
  CHECK(slice({3}, {1}, {1}, {1}).empty());
  CHECK(slice({0}, {5}, {1}, {INT64_MAX}) == Floats{0, 5});
  CHECK(slice({4}, {INT64_MIN}, {1}, {INT64_MIN}) == Floats{4, 9});
}

TEST_CASE("Slice refuses a step of 0, lists of different lengths and repeated axes") {
  const auto refusal = [](const Longs& starts, const Longs& ends, const Longs& axes, const Longs& steps) {
    const auto list = [](const Longs& values) { return longs({std::ssize(values)}, values); };
    return OpRun("Slice", 13)
        .input(counting({2, 5}))
        .input(list(starts))
        .input(list(ends))
        .input(list(axes))
        .input(list(steps))
        .refusal();
  };
  CHECK(refusal({0}, {1}, {0}, {1}).empty());
  CHECK_FALSE(refusal({0}, {1}, {0}, {0}).empty());
  CHECK_FALSE(refusal({0}, {1, 2}, {0}, {1}).empty());
  CHECK_FALSE(refusal({0, 0}, {1, 1}, {0, -2}, {1, 1}).empty());
  CHECK_FALSE(refusal({0}, {1}, {2}, {1}).empty());
}

}  // namespace
}  // namespace gonogo::tests
