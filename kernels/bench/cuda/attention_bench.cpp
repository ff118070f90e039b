// Attention of one layer at decode and verify widths. Caches of many layers rotate, as in a step.
#include <fmt/format.h>

#include <cmath>

#include "kernels/attention/cuda/attention.hpp"
#include "kernels/bench/cuda/bench.hpp"

namespace gonogo::kernels::bench {
namespace {

using namespace attention::cuda;

/// Worst error over some (row, head) outputs against double, as a share of the bound: float16's rounding of weights
/// (twice 2^-11 of the weighed magnitudes), float32 arithmetic, and of the result.
double worst_ratio(const Problem& p, std::int64_t past, const Bytes& query, const Bytes& keys, const Bytes& values,
                   const Bytes& y) {
  double worst = 0;
  for (std::int64_t row = 0; row < p.rows; ++row)
    for (const std::int64_t head : {std::int64_t{0}, p.heads - 1}) {
      const std::int64_t cache = head / (p.heads / p.kv_heads) * p.capacity * p.head_dim;
      const std::int64_t at = (row * p.heads + head) * p.head_dim;
      const std::int64_t count = past + row + 1;
      std::vector<double> weights(static_cast<std::size_t>(count));
      double sum = 0;
      for (std::int64_t key = 0; key < count; ++key) {
        double dot = 0;
        for (std::int64_t d = 0; d < p.head_dim; ++d)
          dot += static_cast<double>(value_at(p.type, query.data(), at + d)) *
                 value_at(p.type, keys.data(), cache + key * p.head_dim + d);
        sum += weights[static_cast<std::size_t>(key)] = std::exp(dot / std::sqrt(static_cast<double>(p.head_dim)));
      }
      for (std::int64_t d = 0; d < p.head_dim; ++d) {
        double want = 0, magnitude = 0;
        for (std::int64_t key = 0; key < count; ++key) {
          const double term = weights[static_cast<std::size_t>(key)] / sum *
                              value_at(p.type, values.data(), cache + key * p.head_dim + d);
          want += term;
          magnitude += std::abs(term);
        }
        const double bound = std::ldexp(magnitude, -10) + std::ldexp(static_cast<double>(count) * magnitude, -22) +
                             std::ldexp(std::abs(want), -10);
        const double ratio = std::abs(value_at(p.type, y.data(), at + d) - want) / bound;
        if (!(ratio <= worst)) worst = ratio;
      }
    }
  return worst;
}

void run(benchmark::State& state, bool split_kv, const Problem& p, std::int64_t past, Overlap overlap) {
  const core::Stream stream;
  const std::int64_t cache_count = p.kv_heads * p.capacity * p.head_dim;
  const Bytes query = random_values(p.type, p.rows * p.heads * p.head_dim, 1.0f, 1);
  const Bytes keys = random_values(p.type, cache_count, 1.0f, 2);
  const Bytes values = random_values(p.type, cache_count, 1.0f, 3);
  Bytes both = keys;
  both.insert(both.end(), values.begin(), values.end());
  const Rotation rotation(both, stream);
  const core::DeviceBuffer query_device = upload(query, stream);
  const core::DeviceBuffer y(query.size());
  const core::DeviceBuffer workspace(split_workspace_bytes(p));
  Bytes last(sizeof(std::int32_t));
  *reinterpret_cast<std::int32_t*>(last.data()) = static_cast<std::int32_t>(past + p.rows - 1);
  const core::DeviceBuffer last_valid = upload(last, stream);
  const auto launch = [&](std::size_t i) {
    Args args;
    args.query = query_device.data();
    args.key_cache = rotation.slot(i);
    args.value_cache = rotation.slot(i) + keys.size();
    args.last_valid = last_valid.as<std::int32_t>();
    args.y = y.data();
    args.workspace = workspace.data();
    args.overlap = overlap;
    split_kv ? split(p, args, stream) : tiled(p, args, stream);
  };
  launch(1);
  const double ratio = worst_ratio(p, past, query, keys, values, download(y, stream));
  if (!(ratio <= 1.0)) return state.SkipWithError(fmt::format("wrong output: {} times the error bound", ratio).c_str());
  measure(state, {rotation.slots(), rotation.cold(), work(p, past)}, launch, stream);
}

}  // namespace

void register_attention() {
  for (const bool glm : {true, false})
    for (const bool split_kv : {true, false})
      for (const std::int64_t past : {512, 1000, 2048})
        for (const std::int64_t m : {1, 2, 4, 8, 16})
          for (const Overlap overlap : {Overlap::off, Overlap::with_previous}) {
            if (!split_kv && overlap != Overlap::off) continue;
            Problem p;
            p.rows = m;
            p.heads = glm ? 32 : 40;
            p.kv_heads = glm ? 2 : 8;
            p.head_dim = 128;
            p.capacity = past < 1008 ? 1024 : 4096;  // the bucket that holds the past and 16 rows
            add(fmt::format("attention/{}/{}/past:{}/{}", split_kv ? "split" : "tiled",
                            glm ? "glm-4-9b" : "qwen2.5-14b", past, suffix(m, overlap)),
                [=](benchmark::State& state) { run(state, split_kv, p, past, overlap); });
          }
}

}  // namespace gonogo::kernels::bench
