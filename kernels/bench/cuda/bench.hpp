// What the CUDA benchmark files share: the device, inputs that rotate past the L2, and timing of a captured chain.
#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/core/cuda/device.hpp"
#include "harness/core/cuda/memory.hpp"
#include "harness/core/cuda/stream.hpp"
#include "harness/core/dtype.hpp"
#include "harness/core/work.hpp"
#include "kernels/overlap.hpp"

namespace gonogo::kernels::bench {

using Bytes = std::vector<std::byte>;

/// The device that is measured; asked once.
[[nodiscard]] const core::DeviceFacts& device();
/// Bytes per second of the memory at its top clock, or 0 when the device does not say.
[[nodiscard]] double peak_bandwidth();

/// Copies of one call's large inputs, side by side: as many as pass twice the L2, 16 to 512. A chain that takes them in
/// turn reads memory each time, as a decode step does.
class Rotation {
 public:
  /// Uploads `content` and copies it. Slots are 256-byte aligned.
  Rotation(const Bytes& content, core::StreamRef stream);
  [[nodiscard]] std::size_t slots() const { return slots_; }
  [[nodiscard]] std::byte* slot(std::size_t i) const { return buffer_.data() + i % slots_ * stride_; }
  /// Whether a slot is out of the L2 when its turn comes again.
  [[nodiscard]] bool cold() const;

 private:
  std::size_t stride_, slots_;
  core::DeviceBuffer buffer_;
};

[[nodiscard]] core::DeviceBuffer upload(const Bytes& content, core::StreamRef stream);
[[nodiscard]] Bytes download(const core::DeviceBuffer& buffer, core::StreamRef stream);

/// Seeded uniform values in [-width, width) of a type, and back.
[[nodiscard]] Bytes random_values(core::DType type, std::int64_t count, float width, std::uint64_t seed);
[[nodiscard]] Bytes random_bytes(std::int64_t count, std::uint64_t seed);
[[nodiscard]] float value_at(core::DType type, const std::byte* data, std::int64_t index);

struct Chain {
  std::size_t calls = 0;
  bool cold = false;
  core::Work work;  // of one call
};
/// Captures `launch(0) .. launch(calls - 1)` into a graph and times whole graphs with events. Time per iteration is a
/// graph's over its calls, gaps between kernels included. Counters: bytes_per_second, peak (its share of the memory's
/// peak), cold (1 or 0), best_us (the fastest graph's time per call).
void measure(benchmark::State& state, const Chain& chain, const std::function<void(std::size_t)>& launch,
             core::StreamRef stream);

/// Graphs timed per benchmark; set-up dwarfs them, so Google Benchmark does not choose.
inline constexpr int kGraphs = 20;
template <class F>
void add(const std::string& name, F run) {
  benchmark::RegisterBenchmark(name.c_str(), run)->UseManualTime()->Iterations(kGraphs)->Unit(benchmark::kMicrosecond);
}
[[nodiscard]] std::string suffix(std::int64_t m, Overlap overlap);

void register_int4_matmul();
void register_attention();
void register_elementwise();
void register_dense();

}  // namespace gonogo::kernels::bench
