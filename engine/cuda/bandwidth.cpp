#include "engine/cuda/bandwidth.hpp"

#include <algorithm>

#include "engine/cuda/context.hpp"
#include "harness/core/cuda/copy.hpp"
#include "harness/core/cuda/event.hpp"
#include "kernels/stream/cuda/stream.hpp"

namespace gonogo::engine::cuda {

DeviceBandwidth measure_read_bandwidth(DeviceContext& device) {
  constexpr std::size_t kBytes = std::size_t{4} << 30;
  constexpr int kRepetitions = 10;
  const core::StreamRef stream = device.stream;
  const core::DeviceBuffer data(kBytes);
  const core::DeviceBuffer sink(sizeof(std::uint32_t));
  core::fill_bytes(data.data(), 1, kBytes, stream);
  core::fill_bytes(sink.data(), 0, sink.size(), stream);
  const core::Event begin, end;
  float best_ms = 0;
  for (int i = -1; i < kRepetitions; ++i) {  // the first one warms
    begin.ref().record(stream);
    kernels::stream::cuda::read({data.data(), kBytes, sink.as<std::uint32_t>()}, stream);
    end.ref().record(stream);
    stream.synchronize();
    const float ms = core::elapsed_ms(begin, end);
    if (i == 0 || (i > 0 && ms < best_ms)) best_ms = ms;
  }
  return {static_cast<double>(kBytes) / (static_cast<double>(best_ms) * 1e-3), static_cast<std::int64_t>(kBytes),
          kRepetitions};
}

}  // namespace gonogo::engine::cuda
