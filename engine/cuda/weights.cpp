#include "engine/cuda/weights.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "harness/core/cuda/copy.hpp"
#include "harness/core/cuda/event.hpp"

namespace gonogo::engine::cuda {
namespace {

constexpr std::size_t kChunk = std::size_t{64} << 20;
constexpr std::size_t kThreads = 8;  // one thread's page faults on a mapped file are far slower than the bus
constexpr std::size_t kAlignment = 256;

std::size_t padded(std::size_t bytes) {
  return std::max(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
}

/// Reads a mapped file from several threads at once.
void parallel_copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  const std::size_t part = padded((bytes + kThreads - 1) / kThreads);
  std::vector<std::jthread> threads;
  for (std::size_t at = part; at < bytes; at += part)
    threads.emplace_back([=] { std::memcpy(to + at, from + at, std::min(part, bytes - at)); });
  std::memcpy(to, from, std::min(part, bytes));
}

}  // namespace

Weights::Weights() = default;

void Weights::copy(std::byte* device, const std::byte* host, std::size_t bytes) {
  std::optional<core::Event> busy[2];
  for (std::size_t at = 0, turn = 0; at < bytes; at += kChunk, turn = 1 - turn) {
    const std::size_t part = std::min(kChunk, bytes - at);
    core::PinnedBuffer& staging = staging_[turn];
    if (busy[turn]) busy[turn]->ref().synchronize();
    if (staging.size() < part) {
      staging = core::PinnedBuffer();
      staging = core::PinnedBuffer(part);
    }
    parallel_copy(staging.data(), host + at, part);
    core::copy_to_device(device + at, staging.data(), part, stream_);
    if (!busy[turn]) busy[turn].emplace(core::EventTiming::off);
    busy[turn]->ref().record(stream_);
  }
  stream_.ref().synchronize();
}

core::DeviceBuffer Weights::stage(const std::byte* host, std::size_t bytes) {
  core::DeviceBuffer buffer(padded(bytes));
  const std::lock_guard lock(mutex_);
  copy(buffer.data(), host, bytes);
  return buffer;
}

SharedBuffer Weights::packed(const std::byte* host, const std::string& layout, std::size_t bytes, const Pack& pack) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = shared_.find({host, layout}); found != shared_.end()) return found->second;
  }
  auto made = std::make_shared<core::DeviceBuffer>(padded(bytes));
  pack(*made, stream_);
  stream_.ref().synchronize();
  const std::lock_guard lock(mutex_);
  shared_[{host, layout}] = made;
  return made;
}

SharedBuffer Weights::upload(const std::byte* host, std::size_t bytes) {
  return packed(host, "", bytes, [&](core::DeviceBuffer& to, core::StreamRef) {
    const std::lock_guard lock(mutex_);
    copy(to.data(), host, bytes);
  });
}

std::size_t Weights::bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t sum = 0;
  for (const auto& [key, buffer] : shared_) sum += buffer->size();
  return sum;
}

}  // namespace gonogo::engine::cuda
