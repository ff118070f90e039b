// The output projection and the greedy pick behind it.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "kernels/bench/cuda/bench.hpp"
#include "kernels/matmul/cuda/cublaslt.hpp"
#include "kernels/matmul/cuda/dense.hpp"
#include "kernels/sample/cuda/argmax.hpp"

namespace gonogo::kernels::bench {
namespace {

using namespace matmul::cuda;

bool is_right(const Problem& p, const Bytes& x, const Bytes& w, const Bytes& y) {
  for (const std::int64_t column : {std::int64_t{0}, p.n / 2, p.n - 1})
    for (std::int64_t m = 0; m < p.m; ++m) {
      double want = 0, magnitude = 0;
      for (std::int64_t k = 0; k < p.k; ++k) {
        const double term =
            static_cast<double>(value_at(p.type, x.data(), m * p.k + k)) * value_at(p.type, w.data(), column * p.k + k);
        want += term;
        magnitude += std::abs(term);
      }
      const double bound = std::ldexp(2 * static_cast<double>(p.k + 1) * magnitude, -24);
      if (!(std::abs(value_at(p.output, y.data(), m * p.n + column) - want) <= bound)) return false;
    }
  return true;
}

enum class Way { mma, plan };

void run_dense(benchmark::State& state, Way way, const Problem& p) {
  const core::Stream stream;
  const Bytes x = random_values(p.type, p.m * p.k, 1.0f, 1);
  Bytes w = random_values(p.type, std::int64_t{1} << 20, 0.05f, 2);  // one stretch of numbers, repeated
  const std::size_t wanted = core::bytes_of(p.type, p.n * p.k);
  const Bytes stretch = w;
  w.reserve(wanted + stretch.size());
  while (w.size() < wanted) w.insert(w.end(), stretch.begin(), stretch.end() - 6);  // no period of whole rows
  w.resize(wanted);
  const core::DeviceBuffer on_x = upload(x, stream);
  const core::DeviceBuffer y(core::bytes_of(p.output, p.m * p.n));
  const Rotation rotation(w, stream);
  std::optional<Lt> lt;
  std::optional<LtPlan> plan;
  core::DeviceBuffer workspace;
  if (way == Way::plan) {
    lt.emplace();
    plan.emplace(*lt, p);
    workspace = core::DeviceBuffer(plan->workspace_bytes());
  }
  const auto launch = [&](std::size_t i) {
    const Args args{on_x.data(), rotation.slot(i), y.data()};
    way == Way::mma ? mma(p, args, stream) : plan->run(args, workspace.data(), stream);
  };
  launch(1);
  if (!is_right(p, x, w, download(y, stream))) return state.SkipWithError("wrong output");
  measure(state, {rotation.slots(), rotation.cold(), work(p)}, launch, stream);
}

void run_argmax(benchmark::State& state, const sample::cuda::Problem& p) {
  const core::Stream stream;
  const Bytes logits = random_values(p.type, p.rows * p.vocab, 1.0f, 1);
  const core::DeviceBuffer on_device = upload(logits, stream), ids(static_cast<std::size_t>(p.rows) * 8),
                           counts(static_cast<std::size_t>(p.rows) * 4), workspace(workspace_bytes(p));
  const sample::cuda::Args args{on_device.data(), ids.as<std::int64_t>(), counts.as<std::int32_t>(), workspace.data()};
  const auto launch = [&](std::size_t) { argmax(p, args, stream); };
  launch(0);
  const Bytes got = download(ids, stream);
  for (std::int64_t row = 0; row < p.rows; ++row) {
    const auto id = reinterpret_cast<const std::int64_t*>(got.data())[row];
    if (id < 0 || id >= p.vocab) return state.SkipWithError("wrong output");
    const float best = value_at(p.type, logits.data(), row * p.vocab + id);
    for (std::int64_t i = 0; i < p.vocab; ++i)
      if (value_at(p.type, logits.data(), row * p.vocab + i) > best) return state.SkipWithError("wrong output");
  }
  measure(state, {32, false, work(p)}, launch, stream);
}

}  // namespace

void register_dense() {
  for (const bool glm : {true, false})
    for (const std::int64_t m : {1, 2, 4, 8, 16}) {
      const char* model = glm ? "glm-4-9b" : "qwen2.5-14b";
      const Problem p{m, glm ? 151552 : 152064, glm ? 4096 : 5120, core::DType::f16, core::DType::f32};
      add(fmt::format("lm_head/mma/{}/m:{}", model, m),
          [=](benchmark::State& state) { run_dense(state, Way::mma, p); });
      add(fmt::format("lm_head/cublaslt_plan/{}/m:{}", model, m),
          [=](benchmark::State& state) { run_dense(state, Way::plan, p); });
      add(fmt::format("argmax/{}/m:{}", model, m), [=](benchmark::State& state) {
        run_argmax(state, {m, p.n, core::DType::f32});
      });
    }
}

}  // namespace gonogo::kernels::bench
