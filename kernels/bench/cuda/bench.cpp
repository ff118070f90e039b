#include "kernels/bench/cuda/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

#include "harness/core/cuda/copy.hpp"
#include "harness/core/cuda/event.hpp"
#include "harness/core/cuda/graph.hpp"
#include "harness/core/half.hpp"

namespace gonogo::kernels::bench {
namespace {

std::size_t slots_for(std::size_t stride) {
  const auto wanted = 2 * static_cast<std::size_t>(device().l2_bytes) / stride + 2;
  return std::clamp<std::size_t>(wanted, stride > std::size_t{256} << 20 ? 2 : 16, 512);
}

}  // namespace

const core::DeviceFacts& device() {
  static const core::DeviceFacts facts = core::device_facts(core::current_device());
  return facts;
}

double peak_bandwidth() { return 2e3 * device().memory_clock_khz * device().memory_bus_bits / 8; }

Rotation::Rotation(const Bytes& content, core::StreamRef stream)
    : stride_((content.size() + 255) / 256 * 256), slots_(slots_for(stride_)), buffer_(stride_ * slots_) {
  core::copy_to_device(buffer_.data(), content.data(), content.size(), stream);
  for (std::size_t i = 1; i < slots_; ++i) core::copy_on_device(slot(i), slot(0), content.size(), stream);
  stream.synchronize();
}

bool Rotation::cold() const { return stride_ * (slots_ - 1) >= 2 * static_cast<std::size_t>(device().l2_bytes); }

core::DeviceBuffer upload(const Bytes& content, core::StreamRef stream) {
  core::DeviceBuffer buffer(content.size());
  core::copy_to_device(buffer.data(), content.data(), content.size(), stream);
  stream.synchronize();
  return buffer;
}

Bytes download(const core::DeviceBuffer& buffer, core::StreamRef stream) {
  Bytes content(buffer.size());
  core::copy_to_host(content.data(), buffer.data(), content.size(), stream);
  stream.synchronize();
  return content;
}

Bytes random_bytes(std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes bytes(static_cast<std::size_t>(count + 7) / 8 * 8);
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    const std::uint64_t word = random();
    std::memcpy(&bytes[i], &word, 8);
  }
  bytes.resize(static_cast<std::size_t>(count));
  return bytes;
}

Bytes random_values(core::DType type, std::int64_t count, float width, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes bytes(core::bytes_of(type, count));
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const float value = width * (static_cast<float>(random() >> 40) * 0x1p-23f - 1.0f);
    if (type == core::DType::f32) {
      std::memcpy(&bytes[4 * i], &value, 4);
    } else {
      const std::uint16_t bits = type == core::DType::f16 ? core::f32_to_f16(value) : core::f32_to_bf16(value);
      std::memcpy(&bytes[2 * i], &bits, 2);
    }
  }
  return bytes;
}

float value_at(core::DType type, const std::byte* data, std::int64_t index) {
  if (type == core::DType::f32) {
    float value = 0;
    std::memcpy(&value, data + 4 * index, 4);
    return value;
  }
  std::uint16_t bits = 0;
  std::memcpy(&bits, data + 2 * index, 2);
  return type == core::DType::f16 ? core::f16_to_f32(bits) : core::bf16_to_f32(bits);
}

void measure(benchmark::State& state, const Chain& chain, const std::function<void(std::size_t)>& launch,
             core::StreamRef stream) {
  core::GraphCapture capture(stream);
  for (std::size_t i = 0; i < chain.calls; ++i) launch(i);
  const core::GraphExec exec(capture.finish());
  exec.launch(stream);  // warms up
  stream.synchronize();
  const core::Event begin, end;
  double best = std::numeric_limits<double>::infinity();
  for (auto _ : state) {
    begin.ref().record(stream);
    exec.launch(stream);
    end.ref().record(stream);
    end.ref().synchronize();
    const double seconds = static_cast<double>(core::elapsed_ms(begin, end)) * 1e-3 / static_cast<double>(chain.calls);
    best = std::min(best, seconds);
    state.SetIterationTime(seconds);
  }
  const auto bytes = static_cast<double>(chain.work.bytes());
  state.SetBytesProcessed(state.iterations() * chain.work.bytes());
  if (peak_bandwidth() > 0) state.counters["peak"] = bytes / best / peak_bandwidth();
  state.counters["best_us"] = best * 1e6;
  state.counters["cold"] = chain.cold ? 1 : 0;
}

std::string suffix(std::int64_t m, Overlap overlap) {
  return fmt::format("m:{}{}", m, overlap == Overlap::with_previous ? "/overlap" : "");
}

}  // namespace gonogo::kernels::bench
