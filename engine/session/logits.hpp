// What the host makes of logits: float32 rows, the greedy id of each, and whether all are finite.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/allocation.hpp"
#include "harness/core/tensor.hpp"

namespace gonogo::engine {

/// Rows of logits on the host. Keeps its memory, so that reading the same number of rows again allocates nothing.
class HostLogits {
 public:
  /// Reads [rows, vocab] (any leading extents). float32 is viewed where it lies, float16 is converted.
  void read(const core::Tensor& logits);
  /// The values alone; ids and finiteness were found elsewhere.
  void convert(const core::Tensor& logits);
  void clear();

  [[nodiscard]] std::span<const float> values() const { return values_; }
  [[nodiscard]] std::span<const std::int64_t> argmax() const { return argmax_; }
  [[nodiscard]] bool finite() const { return finite_; }

 private:
  core::HostBuffer converted_;
  std::span<const float> values_;
  std::vector<std::int64_t> argmax_;
  bool finite_ = true;
};

}  // namespace gonogo::engine
