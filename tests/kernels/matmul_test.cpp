#include <array>
#include <cstring>
#include <random>
#include <string>

#include "harness/core/half.hpp"
#include "kernels/matmul/problem.hpp"
#include "kernels/reference/matmul.hpp"
#include "tests/catch.hpp"
#include "tests/kernels/guarded.hpp"

namespace {

using namespace gonogo;
using kernels::Threads;
using kernels::matmul::Kernel;
using kernels::matmul::Problem;

struct Case {
  Problem problem;
  std::vector<float> a;
  std::vector<std::byte> w;
  [[nodiscard]] kernels::matmul::Args args(float* y) const { return {a.data(), w.data(), y}; }
};

float draw(std::mt19937& random) { return static_cast<float>(random() % 2001) / 1000.0F - 1.0F; }

Case make_case(const Problem& p) {
  std::mt19937 random(17);
  Case out{p, {}, std::vector<std::byte>(core::bytes_of(p.weights, p.k * p.n))};
  for (std::int64_t i = 0; i < p.m * p.k; ++i) out.a.push_back(draw(random));
  for (std::int64_t i = 0; i < p.k * p.n; ++i) {
    if (p.weights == core::DType::f16)
      reinterpret_cast<std::uint16_t*>(out.w.data())[i] = core::f32_to_f16(draw(random));
    else
      reinterpret_cast<float*>(out.w.data())[i] = draw(random);
  }
  return out;
}

std::vector<float> run(const Kernel& kernel, const Case& input, int threads) {
  const tests::Guarded<float> y(static_cast<std::size_t>(input.problem.m * input.problem.n));
  kernel.run(input.problem, input.args(y.data()), Threads{threads});
  CHECK(y.guard_intact());
  return y.values();
}

TEST_CASE("every dense matmul kernel stays within the float32 bound of the double reference", "[kernels]") {
  int ran = 0;
  for (const Kernel& kernel : kernels::matmul::kernels())
    for (const auto weights : {core::DType::f32, core::DType::f16})
      for (const bool transposed : {false, true})
        for (const std::int64_t n : {1, 4, 15, 16, 63, 64, 67, 130})
          for (const std::int64_t k : {1, 16, 77, 200}) {
            const std::array<std::int64_t, 5> ms = {1, 3, 4, 5, 17};
            const Problem p{ms[static_cast<std::size_t>(ran % 5)], n, k, weights, transposed};
            const Case input = make_case(p);
            const auto want = kernels::reference::matmul(p, input.args(nullptr));
            const auto got = run(kernel, input, ran % 3 + 1);
            INFO(kernel.name << " m " << p.m << " n " << n << " k " << k << " transposed " << transposed);
            CHECK(tests::worst_ratio(got, want.value, want.bound) <= 1.0);
            ++ran;
            Case wrong = input;
            auto& byte = wrong.w[static_cast<std::size_t>(n * k / 2) * core::bytes_of(weights, 1) +
                                 core::bytes_of(weights, 1) - 1];
            byte ^= std::byte{0x80};  // one weight's sign
            const bool is_zero = core::bytes_of(weights, 1) == 2 &&
                                 reinterpret_cast<const std::uint16_t*>(input.w.data())[n * k / 2] == 0;
            if (!is_zero) CHECK(tests::worst_ratio(run(kernel, wrong, 1), want.value, want.bound) > 1.0);
          }
  CHECK(ran == 2 * 2 * 2 * 8 * 4);
}

TEST_CASE("a row of a dense matmul has the same bits for every m and every thread count", "[kernels]") {
  for (const Kernel& kernel : kernels::matmul::kernels())
    for (const auto weights : {core::DType::f32, core::DType::f16})
      for (const bool transposed : {false, true}) {
        const Case all = make_case({9, 150, 101, weights, transposed});
        const auto rows = run(kernel, all, 1);
        for (std::int64_t m = 0; m < 9; ++m) {
          Case one = all;
          one.problem.m = 1;
          one.a.assign(all.a.begin() + m * 101, all.a.begin() + (m + 1) * 101);
          const auto got = run(kernel, one, static_cast<int>(m % 3) + 1);
          INFO(kernel.name << " row " << m);
          CHECK(std::memcmp(got.data(), rows.data() + m * 150, got.size() * sizeof(float)) == 0);
        }
      }
}

TEST_CASE("a dense matmul without depth is zero and without rows or columns empty", "[kernels]") {
  for (const Kernel& kernel : kernels::matmul::kernels())
    for (const bool transposed : {false, true}) {
      CHECK(run(kernel, make_case({3, 70, 0, core::DType::f32, transposed}), 2) == std::vector<float>(210, 0.0F));
      CHECK(run(kernel, make_case({0, 7, 5, core::DType::f32, transposed}), 2).empty());
      CHECK(run(kernel, make_case({7, 0, 5, core::DType::f32, transposed}), 2).empty());
    }
}

TEST_CASE("a dense matmul refuses other weight types with rule, wanted and got", "[kernels]") {
  const auto refusal = kernels::matmul::eligible({1, 1, 1, core::DType::bf16, false}).reason();
  CHECK(refusal == core::Refusal{"weights, one of", "float32, float16", "bfloat16"});
}

}  // namespace
