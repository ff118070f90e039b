#include <cmath>
#include <limits>

#include "harness/core/half.hpp"
#include "tests/catch.hpp"
#include "tests/ops/shape_fixture.hpp"

namespace gonogo::tests {
namespace {

using Longs = std::vector<std::int64_t>;

TEST_CASE("ReduceSum sums over the named axes and keeps them as 1 unless told") {
  OpRun op("ReduceSum", 13);
  op.attribute("keepdims", std::int64_t{0}).input(longs({2, 3}, {1, 2, 3, 4, 5, 6})).input(longs({1}, {1}));
  const auto outputs = op.run();
  CHECK(outputs[0].shape == core::Shape{2});
  CHECK(values_of<std::int64_t>(outputs[0]) == Longs{6, 15});
  CHECK(OpRun("ReduceSum", 13).input(longs({2, 3}, {1, 2, 3, 4, 5, 6})).input(longs({1}, {-2})).run()[0].shape ==
        core::Shape{1, 3});
  CHECK(values_of<std::int32_t>(
            OpRun("ReduceSum", 11).attribute("axes", Longs{0}).input(ints({2, 2}, {1, 2, 3, 4})).run()[0]) ==
        std::vector<std::int32_t>{4, 6});
}

TEST_CASE("ReduceSum without axes sums everything, or nothing when told to leave it") {
  const auto all = OpRun("ReduceSum", 13).input(longs({2, 2}, {1, 2, 3, 4})).run();
  CHECK(all[0].shape == core::Shape{1, 1});
  CHECK(values_of<std::int64_t>(all[0]) == Longs{10});
  const auto none = OpRun("ReduceSum", 13)
                        .attribute("noop_with_empty_axes", std::int64_t{1})
                        .input(longs({2, 2}, {1, 2, 3, 4}))
                        .run();
  CHECK(values_of<std::int64_t>(none[0]) == Longs{1, 2, 3, 4});
  CHECK(values_of<std::int64_t>(OpRun("ReduceSum", 13).input(longs({0}, {})).run()[0]) == Longs{0});
}

TEST_CASE("a float32 sum is rounded once from double") {
  std::vector<float> values(1 << 14, 0.1F);
  values.front() = 1.0e8F;  // a running float32 sum would drop every 0.1
  double exact = 0;
  for (const float value : values) exact += static_cast<double>(value);
  const auto outputs = OpRun("ReduceSum", 13).input(floats({1 << 14}, values)).run();
  CHECK(outputs[0].as<float>()[0] == static_cast<float>(exact));
  CHECK(outputs[0].as<float>()[0] != 1.0e8F);
}

TEST_CASE("float16 sums are computed wide and rounded once") {
  const auto half = [](float value) { return core::f32_to_f16(value); };
  const auto outputs =
      OpRun("ReduceSum", 13)
          .input(tensor_of<std::uint16_t>(core::DType::f16, {3}, {half(60000), half(60000), half(-60000)}))
          .run();
  CHECK(core::f16_to_f32(outputs[0].as<std::uint16_t>()[0]) == core::f16_to_f32(half(60000)));
}

TEST_CASE("ReduceMax takes the largest, negative ones included, and a NaN over all") {
  CHECK(values_of<std::int64_t>(OpRun("ReduceMax", 18).input(longs({3}, {-5, -3, -9})).run()[0]) == Longs{-3});
  CHECK(values_of<std::int32_t>(OpRun("ReduceMax", 12)
                                    .attribute("axes", Longs{1})
                                    .attribute("keepdims", std::int64_t{0})
                                    .input(ints({2, 2}, {1, 4, 3, 2}))
                                    .run()[0]) == std::vector<std::int32_t>{4, 3});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const auto& values : {std::vector<float>{nan, 1, 2}, {1, nan, 2}, {1, 2, nan}})
    CHECK(std::isnan(OpRun("ReduceMax", 18).input(floats({3}, values)).run()[0].as<float>()[0]));
}

TEST_CASE("reductions refuse axes out of range or twice, and types they do not add") {
  CHECK_FALSE(OpRun("ReduceSum", 13).input(longs({2}, {1, 2})).input(longs({1}, {1})).refusal().empty());
  CHECK_FALSE(OpRun("ReduceSum", 13).input(longs({2}, {1, 2})).input(longs({2}, {0, -1})).refusal().empty());
  CHECK_FALSE(OpRun("ReduceSum", 13).input(tensor_of<std::uint8_t>(core::DType::boolean, {1}, {1})).refusal().empty());
  CHECK_FALSE(OpRun("ReduceMax", 13).input(longs({2}, {1, 2})).input(longs({1}, {0})).refusal().empty());
}

}  // namespace
}  // namespace gonogo::tests
