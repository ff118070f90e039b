#include "kernels/sample/cuda/argmax.hpp"

#include <cmath>
#include <limits>

#include "tests/catch.hpp"
#include "tests/gpu/gpu_test.hpp"

using namespace gonogo;
using namespace gonogo::tests;
using namespace gonogo::kernels::sample::cuda;
using core::DType;

namespace {

struct Picked {
  std::vector<std::int64_t> ids;
  std::vector<std::int32_t> non_finite;
};

Picked pick(DType type, std::int64_t rows, const std::vector<double>& logits) {
  const core::Stream stream;
  const Problem p{rows, static_cast<std::int64_t>(logits.size()) / rows, type};
  const DeviceArray on_device(encode(type, logits), stream), workspace(workspace_bytes(p), stream);
  const DeviceArray counts(static_cast<std::size_t>(rows) * 4, stream);
  DeviceArray ids(static_cast<std::size_t>(rows) * 8, stream);
  const Args args{on_device.data(), ids.as<std::int64_t>(), counts.as<std::int32_t>(), workspace.data()};
  const Bytes got = run_all_ways(stream, ids, [&] { argmax(p, args, stream); });
  CHECK(workspace.guards_intact());
  const Bytes of_counts = counts.download();
  Picked picked;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t id = -1;
    std::int32_t count = -1;
    std::copy_n(got.begin() + row * 8, 8, reinterpret_cast<std::byte*>(&id));
    std::copy_n(of_counts.begin() + row * 4, 4, reinterpret_cast<std::byte*>(&count));
    picked.ids.push_back(id);
    picked.non_finite.push_back(count);
  }
  return picked;
}

}  // namespace

TEST_CASE("argmax finds the largest logit wherever it lies, and the lowest index at a tie", "[gpu][sample]") {
  if (!gpu_ready()) return;
  for (const DType type : {DType::f16, DType::bf16, DType::f32})
    for (const std::int64_t vocab : {1, 31, 4096, 4097, 9000})
      for (const std::int64_t place : {std::int64_t{0}, vocab / 2, vocab - 1}) {
        std::vector<double> logits = normals(type, static_cast<std::size_t>(2 * vocab), 1.0, 3);
        logits[static_cast<std::size_t>(place)] = 50.0;
        logits[static_cast<std::size_t>(vocab - 1)] = 50.0;  // a tie unless it is the same
        std::int64_t second = 0;
        for (std::int64_t i = 1; i < vocab; ++i)
          if (logits[static_cast<std::size_t>(vocab + i)] > logits[static_cast<std::size_t>(vocab + second)])
            second = i;
        CAPTURE(core::name_of(type), vocab, place);
        const Picked picked = pick(type, 2, logits);
        CHECK(picked.ids == std::vector<std::int64_t>{place, second});
        CHECK(picked.non_finite == std::vector<std::int32_t>{0, 0});
      }
}

TEST_CASE("argmax never picks a NaN, counts what is not finite, and gives 0 when nothing is a number",
          "[gpu][sample]") {
  if (!gpu_ready()) return;
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  for (const DType type : {DType::f16, DType::f32}) {
    const Picked picked = pick(type, 4,
                               {nan, -3, -2, nan,          //
                                nan, nan, nan, nan,        //
                                1, infinity, 2, infinity,  //
                                -infinity, -infinity, nan, -infinity});
    CHECK(picked.ids == std::vector<std::int64_t>{2, 0, 1, 0});
    CHECK(picked.non_finite == std::vector<std::int32_t>{2, 4, 2, 4});
  }
}
