// Constants of one model on a device: uploaded once, or packed once for a kernel, shared by all sessions over the model
// and kept as long as this lives: sessions come and go within a run.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "harness/core/cuda/memory.hpp"
#include "harness/core/cuda/stream.hpp"

namespace gonogo::engine::cuda {

using SharedBuffer = std::shared_ptr<const core::DeviceBuffer>;

class Weights {
 public:
  /// On the current device.
  Weights();

  /// The bytes as they are. Two constants at one address are one constant.
  [[nodiscard]] SharedBuffer upload(const std::byte* host, std::size_t bytes);

  /// A layout of its own, made by `pack` from the uploaded bytes of the constants it reads; `layout` names it
  /// ("mma 4096x4096 b128"). Staging uploads are freed when it is done.
  using Pack = std::function<void(core::DeviceBuffer& to, core::StreamRef stream)>;
  [[nodiscard]] SharedBuffer packed(const std::byte* host, const std::string& layout, std::size_t bytes,
                                    const Pack& pack);

  /// A copy that lives as long as the caller keeps it; not shared.
  [[nodiscard]] core::DeviceBuffer stage(const std::byte* host, std::size_t bytes);

  /// Bytes on the device now.
  [[nodiscard]] std::size_t bytes() const;

 private:
  void copy(std::byte* device, const std::byte* host, std::size_t bytes);

  mutable std::mutex mutex_;
  core::Stream stream_;
  core::PinnedBuffer staging_[2];
  std::map<std::pair<const std::byte*, std::string>, SharedBuffer> shared_;
};

}  // namespace gonogo::engine::cuda
