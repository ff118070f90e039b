// What lies between the matmuls of a layer: residual norms, SwiGLU, rotary append. Their inputs come out of the L2 in a
// step too, so nothing rotates.
#include <fmt/format.h>

#include <cmath>

#include "kernels/activation/cuda/pointwise.hpp"
#include "kernels/bench/cuda/bench.hpp"
#include "kernels/norm/cuda/norm.hpp"
#include "kernels/rope/cuda/rope_append.hpp"

namespace gonogo::kernels::bench {
namespace {

constexpr core::DType kType = core::DType::f16;
constexpr std::size_t kCalls = 64;  // of a chain

/// |got - want| within two units of float16 and a little of float32's.
bool is_close(float got, double want) { return std::abs(got - want) <= std::ldexp(std::abs(want), -9) + 1e-5; }

void run_norm(benchmark::State& state, bool staging, std::int64_t rows, std::int64_t hidden, Overlap overlap) {
  const core::Stream stream;
  norm::cuda::Problem p;
  p.rows = rows;
  p.hidden = hidden;
  p.skip = p.sum_output = true;
  const Bytes x = random_values(kType, rows * hidden, 1.0f, 1), skip = random_values(kType, rows * hidden, 1.0f, 2),
              gamma = random_values(kType, hidden, 1.0f, 3);
  const core::DeviceBuffer on_x = upload(x, stream), on_skip = upload(skip, stream), on_gamma = upload(gamma, stream);
  const core::DeviceBuffer y(x.size()), sum(x.size()), workspace(staged_workspace_bytes(p));
  norm::cuda::Args args{on_x.data(), on_skip.data(), nullptr, on_gamma.data(), y.data(), sum.data()};
  args.overlap = overlap;
  const auto launch = [&](std::size_t) {
    staging ? norm::cuda::staged(p, args, workspace.data(), stream) : norm::cuda::fused(p, args, stream);
  };
  launch(0);
  const Bytes got = download(y, stream);
  for (std::int64_t row = 0; row < rows; ++row) {
    double squares = 0;
    const auto s = [&](std::int64_t i) {
      return static_cast<double>(value_at(kType, x.data(), row * hidden + i)) +
             value_at(kType, skip.data(), row * hidden + i);
    };
    for (std::int64_t i = 0; i < hidden; ++i) squares += s(i) * s(i);
    const double inverse = 1 / std::sqrt(squares / static_cast<double>(hidden) + static_cast<double>(p.epsilon));
    for (std::int64_t i = 0; i < hidden; ++i)
      if (!is_close(value_at(kType, got.data(), row * hidden + i), s(i) * inverse * value_at(kType, gamma.data(), i)))
        return state.SkipWithError("wrong output");
  }
  measure(state, {kCalls, false, work(p)}, launch, stream);
}

void run_swiglu(benchmark::State& state, std::int64_t rows, std::int64_t width, Overlap overlap) {
  const core::Stream stream;
  const Bytes both = random_values(kType, rows * 2 * width, 3.0f, 1);
  const core::DeviceBuffer on_both = upload(both, stream);
  const core::DeviceBuffer y(core::bytes_of(kType, rows * width));
  const activation::cuda::SwigluArgs args{
      on_both.data(), on_both.data() + core::bytes_of(kType, width), y.data(), rows, width, 2 * width, overlap};
  const auto launch = [&](std::size_t) { activation::cuda::swiglu(kType, args, stream); };
  launch(0);
  const Bytes got = download(y, stream);
  for (std::int64_t i = 0; i < rows * width; ++i) {
    const std::int64_t at = i / width * 2 * width + i % width;
    const double gate = value_at(kType, both.data(), at);
    if (!is_close(value_at(kType, got.data(), i),
                  gate / (1 + std::exp(-gate)) * value_at(kType, both.data(), at + width)))
      return state.SkipWithError("wrong output");
  }
  measure(state, {kCalls, false, activation::cuda::swiglu_work(kType, rows, width)}, launch, stream);
}

void run_rope(benchmark::State& state, rope::cuda::Problem p, Overlap overlap) {
  const core::Stream stream;
  p.capacity = 1024;
  p.table_rows = 1024;
  p.type = kType;
  const Bytes qkv = random_values(kType, p.rows * (p.heads + 2 * p.kv_heads) * p.head_dim, 1.0f, 1);
  const Bytes table =
      random_values(kType, p.table_rows * p.rotary_dim / 2, 1.0f, 2);  // cos and sin alike: x - y, y + x
  const core::DeviceBuffer on_qkv = upload(qkv, stream), on_table = upload(table, stream);
  const core::DeviceBuffer rotated(core::bytes_of(kType, p.rows * p.heads * p.head_dim));
  const core::DeviceBuffer keys(core::bytes_of(kType, p.kv_heads * p.capacity * p.head_dim)), values(keys.size());
  Bytes last(sizeof(std::int32_t));
  *reinterpret_cast<std::int32_t*>(last.data()) = 600;
  const core::DeviceBuffer last_valid = upload(last, stream);
  rope::cuda::Args args;
  set_packed_qkv(p, on_qkv.data(), args);
  args.cos = args.sin = on_table.data();
  args.last_valid = last_valid.as<std::int32_t>();
  args.rotated = rotated.data();
  args.key_cache = keys.data();
  args.value_cache = values.data();
  args.overlap = overlap;
  const auto launch = [&](std::size_t) { rope_append(p, args, stream); };
  launch(0);
  const Bytes got = download(rotated, stream);
  for (std::int64_t i = 0; i < p.rotary_dim / 2; ++i) {  // row 0, head 0
    const std::int64_t a = p.interleaved ? 2 * i : i;
    const std::int64_t b = p.interleaved ? 2 * i + 1 : i + p.rotary_dim / 2;
    const double turn = value_at(kType, table.data(), (601 - p.rows) * p.rotary_dim / 2 + i);
    const double x = value_at(kType, qkv.data(), a), y = value_at(kType, qkv.data(), b);
    if (!is_close(value_at(kType, got.data(), a), x * turn - y * turn)) return state.SkipWithError("wrong output");
  }
  measure(state, {kCalls, false, work(p)}, launch, stream);
}

}  // namespace

void register_elementwise() {
  for (const std::int64_t m : {1, 2, 4, 8, 16})
    for (const Overlap overlap : {Overlap::off, Overlap::with_previous})
      for (const bool glm : {true, false}) {
        const char* model = glm ? "glm-4-9b" : "qwen2.5-14b";
        const std::string end = suffix(m, overlap);
        const std::int64_t hidden = glm ? 4096 : 5120;
        add(fmt::format("skip_rms_norm/fused/{}/{}", model, end),
            [=](benchmark::State& state) { run_norm(state, false, m, hidden, overlap); });
        if (overlap == Overlap::off)
          add(fmt::format("skip_rms_norm/staged/{}/{}", model, end),
              [=](benchmark::State& state) { run_norm(state, true, m, hidden, overlap); });
        add(fmt::format("swiglu/{}/{}", model, end),
            [=](benchmark::State& state) { run_swiglu(state, m, glm ? 13696 : 13824, overlap); });
        rope::cuda::Problem p;
        p.rows = m;
        p.heads = glm ? 32 : 40;
        p.kv_heads = glm ? 2 : 8;
        p.head_dim = 128;
        p.rotary_dim = glm ? 64 : 128;
        p.interleaved = glm;
        add(fmt::format("rope_append/{}/{}", model, end),
            [=](benchmark::State& state) { run_rope(state, p, overlap); });
      }
}

}  // namespace gonogo::kernels::bench
