#include <cmath>

#include "kernels/matmul/cuda/dense.hpp"
#include "kernels/matmul/cuda/transpose.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/dense_case.hpp"

using namespace gonogo;
using namespace gonogo::tests;
using namespace gonogo::kernels::matmul::cuda;
using core::DType;

namespace {

using Kernel = void (*)(const Problem&, const Args&, core::StreamRef);

void check(Kernel kernel, const Problem& p) {
  const core::Stream stream;
  const DenseCase c = make_dense_case(p, 17);
  const DeviceArray x(c.x, stream), w(c.w, stream);
  DeviceArray y(core::bytes_of(p.output, p.m * p.n), stream);
  const Bytes got = run_all_ways(stream, y, [&] { kernel(p, {x.data(), w.data(), y.data()}, stream); });
  check_dense(c, got);
}

}  // namespace

TEST_CASE("the dense tensor-core kernel agrees with the double reference over rows and tails", "[gpu][dense]") {
  if (!gpu_ready()) return;
  for (const std::int64_t m : {1, 2, 7, 8, 9, 16, 17})
    for (const std::int64_t n : {1, 16, 33})
      for (const std::int64_t k : {64, 320, 2304}) {
        if (kEmulated && k == 2304 && (m > 2 || n == 33)) continue;
        check(mma, {m, n, k, (m + n) % 2 == 0 ? DType::bf16 : DType::f16,
                    (m + k) % 3 == 0   ? DType::f32
                    : (m + n) % 2 == 0 ? DType::bf16
                                       : DType::f16});
      }
}

TEST_CASE("the tiled dense kernel agrees with the double reference for any type, shape and layout", "[gpu][dense]") {
  if (!gpu_ready()) return;
  for (const DType type : {DType::f16, DType::bf16, DType::f32})
    for (const Layout layout : {Layout::n_k, Layout::k_n})
      for (const std::int64_t m : {1, 16, 17})
        for (const std::int64_t n : {1, 40})
          for (const std::int64_t k : {1, 31, 172}) check(tiled, {m, n, k, type, m == 16 ? DType::f32 : type, layout});
}

TEST_CASE("the dense tensor-core kernel agrees at the shape of an output projection", "[gpu][dense]") {
  if (kEmulated) return skip_test("too large for the host emulation");
  if (!gpu_ready()) return;
  check(mma, {2, 151552 / 8, 4096, DType::f16, DType::f32});
  check(mma, {8, 4099, 5120, DType::f16, DType::f16});
}

TEST_CASE("row r of the dense kernels has the same bits for every number of rows", "[gpu][dense]") {
  if (!gpu_ready()) return;
  for (const Kernel kernel : {&mma, &tiled}) {
    const Problem all{17, 24, 576, DType::f16, DType::f32};
    const DenseCase c = make_dense_case(all, 5);
    const core::Stream stream;
    const DeviceArray x(c.x, stream), w(c.w, stream), y(all.m * all.n * 4, stream), one(all.n * 4, stream);
    kernel(all, {x.data(), w.data(), y.data()}, stream);
    const Bytes together = y.download();
    Problem single = all;
    single.m = 1;
    for (const std::int64_t row : {0, 7, 8, 16}) {
      kernel(single, {x.data() + row * all.k * 2, w.data(), one.data()}, stream);
      CHECK(one.download() == Bytes(together.begin() + row * all.n * 4, together.begin() + (row + 1) * all.n * 4));
    }
  }
}

TEST_CASE("a transposed matrix has every element in its place", "[gpu][dense]") {
  if (!gpu_ready()) return;
  const core::Stream stream;
  for (const DType type : {DType::f16, DType::bf16, DType::f32})
    for (const auto& [k, n] : {std::pair{1, 1}, {32, 32}, {33, 31}, {70, 129}}) {
      const std::vector<double> from = normals(type, static_cast<std::size_t>(k * n), 1.0, 2);
      const DeviceArray in(encode(type, from), stream);
      DeviceArray out(in.size(), stream);
      std::vector<double> want;
      for (std::int64_t column = 0; column < n; ++column)
        for (std::int64_t row = 0; row < k; ++row) want.push_back(from[static_cast<std::size_t>(row * n + column)]);
      CHECK(run_all_ways(stream, out, [&] {
              transpose({1, n, k, type}, in.data(), out.data(), stream);
            }) == encode(type, want));
    }
}

TEST_CASE("a dense matmul that the tensor-core kernel cannot take is refused with rule, wanted and got",
          "[gpu][dense]") {
  if (!gpu_ready()) return;
  CHECK(to_string(mma_eligible({1, 8, 72}).reason()) == "k, a multiple of: wanted 64, got 72");
  CHECK(to_string(mma_eligible({1, 8, 64, DType::f32}).reason()) ==
        "type, one of: wanted float16, bfloat16, got float32");
  CHECK(to_string(mma_eligible({1, 8, 64, DType::f16, DType::f32, Layout::k_n}).reason()) ==
        "weights lie as: wanted [n, k], got [k, n]");
  CHECK(to_string(eligible({1, 8, 64, DType::f16, DType::bf16}).reason()) ==
        "output, float32 or: wanted float16, got bfloat16");
}
