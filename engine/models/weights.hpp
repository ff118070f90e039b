// Weight bytes from a counter: any range of any tensor can be made alone, so every order and thread count gives one
// file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/models/tensors.hpp"

namespace gonogo::models {

/// The bytes of one tensor. Same (spec, tensor name, seed): same bytes.
class TensorBytes {
 public:
  TensorBytes(const ModelSpec& spec, const TensorSpec& tensor, std::uint64_t seed);

  /// Bytes [begin, begin + out.size()) of the tensor; `begin` is a multiple of 8.
  void fill(std::int64_t begin, std::span<std::byte> out) const;

 private:
  void fill_drawn(std::int64_t begin, std::span<std::byte> out) const;
  void fill_rotary(std::int64_t begin, std::span<std::byte> out) const;
  void fill_packed(std::int64_t begin, std::span<std::byte> out) const;
  [[nodiscard]] std::uint64_t word(std::int64_t index) const;

  TensorSpec tensor_;
  std::int64_t rotary_dim_;
  double rope_theta_;
  std::uint64_t key_;
  std::vector<std::byte> values_;  // gaussian, scales: the values drawn from, in the tensor's type
};

}  // namespace gonogo::models
