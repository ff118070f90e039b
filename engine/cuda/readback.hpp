// What comes back from the device: greedy ids picked there, and logits where they are wanted.
#pragma once

#include "engine/session/executor.hpp"
#include "engine/session/logits.hpp"
#include "harness/core/cuda/memory.hpp"
#include "harness/core/cuda/stream.hpp"

namespace gonogo::engine::cuda {

class DeviceReadback {
 public:
  /// Makes room for `rows` rows of these logits before anything is timed.
  void reserve(const core::Tensor& logits);
  /// Starts sampling and copies; the results are there once the stream is done.
  void start(const core::Tensor& logits, Wanted wanted, core::StreamRef stream);
  /// After start() and the stream's synchronisation.
  [[nodiscard]] Readback finish();

 private:
  std::int64_t rows_ = 0;
  core::Tensor host_logits_;
  bool wants_logits_ = false;
  std::size_t ids_bytes_ = 0;
  core::DeviceBuffer choices_;    // ids, then counts of non-finite logits
  core::DeviceBuffer workspace_;  // of the sampling kernel
  core::PinnedBuffer host_choices_;
  core::PinnedBuffer host_bytes_;  // logits as the device has them
  HostLogits converted_;
};

}  // namespace gonogo::engine::cuda
