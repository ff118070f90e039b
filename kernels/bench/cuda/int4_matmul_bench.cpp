// Block-quantised matmuls of one decode step: the portable kernels and the tensor-core kernel.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "kernels/bench/cuda/bench.hpp"
#include "kernels/int4_matmul/cuda/gemv.hpp"
#include "kernels/int4_matmul/cuda/mma.hpp"
#include "kernels/int4_matmul/cuda/tiled.hpp"

namespace gonogo::kernels::bench {
namespace {

using namespace int4_matmul::cuda;

struct Shape {
  std::string_view name;
  std::int64_t n, k, block_size;
};

// Source: the models' public configurations; q, k, v and gate, up are packed.
constexpr std::array kShapes = {
    Shape{"glm-4-9b/qkv", 4608, 4096, 128},        Shape{"glm-4-9b/o", 4096, 4096, 128},
    Shape{"glm-4-9b/gate_up", 27392, 4096, 128},   Shape{"glm-4-9b/down", 4096, 13696, 128},
    Shape{"qwen2.5-14b/qkv", 7168, 5120, 32},      Shape{"qwen2.5-14b/o", 5120, 5120, 32},
    Shape{"qwen2.5-14b/gate_up", 27648, 5120, 32}, Shape{"qwen2.5-14b/down", 5120, 13824, 32},
};

enum class Way { gemv, tiled, mma };
constexpr std::array kWays = {"gemv", "tiled", "mma"};

/// Worst |got - want| / bound over some columns; want in double, bound: k + 16 roundings of the sum of |x w|, twice
/// that for tensor cores, and float16's.
double worst_ratio(const Problem& p, const Bytes& x, const Bytes& codes, const Bytes& scales, const Bytes& y) {
  double worst = 0;
  for (const std::int64_t column : {std::int64_t{0}, std::int64_t{7}, p.n / 2, p.n - 9, p.n - 1})
    for (std::int64_t m = 0; m < p.m; ++m) {
      double want = 0, magnitude = 0;
      for (std::int64_t k = 0; k < p.k; ++k) {
        const auto byte = static_cast<unsigned>(codes[static_cast<std::size_t>(column * p.row_bytes() + k / 2)]);
        const double scale = value_at(p.type, scales.data(), column * p.blocks() + k / p.block_size);
        const double term =
            (static_cast<int>(byte >> (k % 2 * 4) & 15u) - 8) * scale * value_at(p.type, x.data(), m * p.k + k);
        want += term;
        magnitude += std::abs(term);
      }
      const double bound = std::ldexp(2 * static_cast<double>(p.k + 16) * magnitude, -24) +
                           std::ldexp(std::abs(want) + magnitude * 1e-3, -10);
      const double ratio = std::abs(value_at(p.type, y.data(), m * p.n + column) - want) / bound;
      if (!(ratio <= worst)) worst = ratio;
    }
  return worst;
}

void run(benchmark::State& state, Way way, const Problem& p, Overlap overlap) {
  const core::Stream stream;
  const Bytes x = random_values(p.type, p.m * p.k, 1.0f, 1);
  const Bytes codes = random_bytes(p.n * p.row_bytes(), 2);
  const Bytes scales = random_values(p.type, p.n * p.blocks(), 0.02f, 3);
  const core::DeviceBuffer x_device = upload(x, stream);
  const core::DeviceBuffer y(core::bytes_of(p.type, p.m * p.n));
  const std::size_t scales_at = (codes.size() + 255) / 256 * 256;
  Bytes weights(scales_at + scales.size());
  std::copy(codes.begin(), codes.end(), weights.begin());
  std::copy(scales.begin(), scales.end(), weights.begin() + static_cast<std::ptrdiff_t>(scales_at));
  const auto args_of = [&](std::byte* slot) {
    return Args{x_device.data(), reinterpret_cast<std::uint8_t*>(slot), slot + scales_at, nullptr, nullptr, y.data()};
  };
  core::DeviceBuffer workspace;
  if (way == Way::mma) {  // the rotation holds packed weights
    workspace = core::DeviceBuffer(mma_workspace_bytes(p));
    mma_clear_workspace(p, workspace.data(), stream);
    const core::DeviceBuffer plain = upload(weights, stream);
    const core::DeviceBuffer packed(mma_layout(p).bytes);
    mma_pack(p, args_of(plain.data()), packed.data(), stream);
    weights = download(packed, stream);
  }
  const Rotation rotation(weights, stream);
  const auto launch = [&](std::size_t i) {
    std::byte* slot = rotation.slot(i);
    switch (way) {
      case Way::gemv:
        return gemv(p, args_of(slot), stream);
      case Way::tiled:
        return tiled(p, args_of(slot), stream);
      case Way::mma:
        return mma(p, {x_device.data(), slot, nullptr, y.data(), workspace.data()}, overlap, stream);
    }
  };
  launch(1);
  const double ratio = worst_ratio(p, x, codes, scales, download(y, stream));
  if (!(ratio <= 1.0)) return state.SkipWithError(fmt::format("wrong output: {} times the error bound", ratio).c_str());
  measure(state, {rotation.slots(), rotation.cold(), work(p)}, launch, stream);
}

}  // namespace

void register_int4_matmul() {
  for (const Shape& shape : kShapes)
    for (const Way way : {Way::gemv, Way::tiled, Way::mma})
      for (const std::int64_t m : {1, 2, 4, 8, 16})
        for (const Overlap overlap : {Overlap::off, Overlap::with_previous}) {
          if ((way == Way::gemv && m > 1) || (way != Way::mma && overlap != Overlap::off)) continue;
          const Problem p{m, shape.n, shape.k, 4, shape.block_size};
          add(fmt::format("int4_matmul/{}/{}/{}", kWays[static_cast<std::size_t>(way)], shape.name, suffix(m, overlap)),
              [=](benchmark::State& state) { run(state, way, p, overlap); });
        }
}

}  // namespace gonogo::kernels::bench
