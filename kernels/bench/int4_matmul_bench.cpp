// Block-quantised matmuls of one decode step. Weights rotate through a pool far larger than the caches, as in a real
// step, where every weight is read once.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "harness/core/allocation.hpp"
#include "kernels/bench/bench.hpp"
#include "kernels/int4_matmul/kernels.hpp"
#include "kernels/reference/int4_matmul.hpp"

namespace gonogo::kernels::bench {
namespace {

using int4_matmul::Args;
using int4_matmul::Kernel;
using int4_matmul::Problem;

struct Shape {
  std::string_view name;
  std::int64_t n;
  std::int64_t k;
  std::int64_t block_size;
  core::DType scales;
};

// Source: the models' public configurations; q, k and v are packed.
constexpr std::array kShapes = {
    Shape{"qwen2.5-0.5b/qkv", 1152, 896, 32, core::DType::f32},
    Shape{"qwen2.5-0.5b/o", 896, 896, 32, core::DType::f32},
    Shape{"qwen2.5-0.5b/gate", 4864, 896, 32, core::DType::f32},
    Shape{"qwen2.5-0.5b/down", 896, 4864, 32, core::DType::f32},
    Shape{"qwen2.5-0.5b/lm_head", 151936, 896, 32, core::DType::f32},
    Shape{"glm-4-9b/qkv", 4608, 4096, 128, core::DType::f16},
    Shape{"glm-4-9b/o", 4096, 4096, 128, core::DType::f16},
    Shape{"glm-4-9b/gate", 13696, 4096, 128, core::DType::f16},
    Shape{"glm-4-9b/down", 4096, 13696, 128, core::DType::f16},
    Shape{"qwen2.5-14b/qkv", 7168, 5120, 128, core::DType::f16},
    Shape{"qwen2.5-14b/o", 5120, 5120, 128, core::DType::f16},
    Shape{"qwen2.5-14b/gate", 13824, 5120, 128, core::DType::f16},
    Shape{"qwen2.5-14b/down", 5120, 13824, 128, core::DType::f16},
};

constexpr std::size_t kPoolBytes = std::size_t{256} << 20;

/// A case and as many copies of its weights as fill the pool.
class Workload {
 public:
  explicit Workload(const Problem& p)
      : case_(reference::int4_matmul_case(p, 9)),
        stride_((case_.codes.size() + case_.scales.size() + 127) / 64 * 64),
        copies_(std::max<std::size_t>(kPoolBytes / stride_, 1)),
        pool_(stride_ * copies_),
        y_(static_cast<std::size_t>(p.m * p.n), std::nanf("")) {
    for (std::size_t c = 0; c < copies_; ++c) {
      std::copy(case_.codes.begin(), case_.codes.end(), codes(c));
      std::copy(case_.scales.begin(), case_.scales.end(), scales(c));
    }
  }
  [[nodiscard]] const Problem& problem() const { return case_.problem; }
  [[nodiscard]] std::size_t copies() const { return copies_; }
  [[nodiscard]] Args args(std::size_t copy) {
    Args args = case_.args(y_.data());
    args.codes = codes(copy);
    args.scales = scales(copy);
    return args;
  }

  /// Worst |output - reference| / bound over some columns at both ends; infinite when one is not a number.
  [[nodiscard]] double worst_ratio(bool int8_activations) {
    const Problem& p = problem();
    constexpr std::int64_t kColumns = 8;
    double worst = 0.0;
    for (const std::int64_t first : {std::int64_t{0}, p.n / 2, p.n - kColumns}) {
      Problem part = p;
      part.n = kColumns;
      Args args = this->args(0);
      args.codes += first * p.blocks() * p.block_bytes();
      args.scales = static_cast<const std::byte*>(args.scales) + core::bytes_of(p.scales, first * p.blocks());
      const auto want = int8_activations ? reference::int4_matmul_int8(part, args) : reference::int4_matmul(part, args);
      for (std::int64_t m = 0; m < p.m; ++m)
        for (std::int64_t c = 0; c < kColumns; ++c) {
          const auto at = static_cast<std::size_t>(m * kColumns + c);
          const double ratio =
              std::fabs(y_[static_cast<std::size_t>(m * p.n + first + c)] - want.value[at]) / want.bound[at];
          worst = ratio <= worst ? worst : std::isnan(ratio) ? INFINITY : ratio;
        }
    }
    return worst;
  }

 private:
  std::uint8_t* codes(std::size_t copy) { return pool_.as<std::uint8_t>() + copy * stride_; }
  std::byte* scales(std::size_t copy) { return pool_.data() + copy * stride_ + (case_.codes.size() + 63) / 64 * 64; }

  reference::Int4MatmulCase case_;
  std::size_t stride_;
  std::size_t copies_;
  core::HostBuffer pool_;
  std::vector<float> y_;
};

void run(benchmark::State& state, const Kernel& kernel, const Problem& problem) {
  Workload work(problem);
  const core::HostBuffer workspace(kernel.workspace_bytes(problem, threads()));
  kernel.run(problem, work.args(0), workspace.data(), threads());
  const double ratio = work.worst_ratio(kernel.int8_activations);
  if (!(ratio <= 1.0)) {
    state.SkipWithError(fmt::format("wrong output: {} times the error bound", ratio).c_str());
    return;
  }
  std::size_t copy = 0;
  for (auto _ : state) {
    copy = (copy + 1) % work.copies();
    kernel.run(problem, work.args(copy), workspace.data(), threads());
  }
  const core::Work model = int4_matmul::work(problem);
  state.SetBytesProcessed(state.iterations() * model.bytes());
  state.counters["flops"] =
      benchmark::Counter(static_cast<double>(model.flops), benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

void register_int4_matmul() {
  for (const Kernel& kernel : int4_matmul::kernels())
    for (const Shape& shape : kShapes)
      for (const std::int64_t m : {1, 8, 128}) {
        Problem p{.m = m, .n = shape.n, .k = shape.k, .block_size = shape.block_size, .scales = shape.scales};
        if (!kernel.eligible(p)) continue;
        benchmark::RegisterBenchmark(fmt::format("int4_matmul/{}/{}/m:{}", kernel.name, shape.name, m).c_str(),
                                     [&kernel, p](benchmark::State& state) { run(state, kernel, p); })
            ->UseRealTime();
      }
}

}  // namespace gonogo::kernels::bench
