// The constants of a model: names, types, shapes and values' distributions, and where each lies in the data file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/models/spec.hpp"
#include "harness/core/tensor.hpp"

namespace gonogo::models {

/// How a tensor's values are made.
enum class Fill {
  gaussian,  // mean + spread * normal
  cosine,    // cos(row * theta^(-2 column / rotary_dim))
  sine,
  codes,        // uniform int4 codes, two to a byte; padding of the last block of a row is code 8
  scales,       // magnitude around `spread`; both signs when symmetric, as the builder's quantiser leaves them
  zero_points,  // codes 6 to 9, two to a byte, each row padded to a byte
};

struct TensorSpec {
  std::string name;  // as the builder names it
  core::DType dtype = core::DType::f32;
  core::Shape dims;
  Fill fill = Fill::gaussian;
  double mean = 0.0;
  double spread = 0.0;
  std::int64_t row = 0;     // codes: K; zero_points: blocks of a row
  std::int64_t offset = 0;  // bytes into the data file
  std::int64_t bytes = 0;
};

struct TensorLayout {
  std::vector<TensorSpec> tensors;  // in the builder's initialiser order
  std::int64_t data_bytes = 0;      // size of the data file
};

/// The tensors of a spec that check_spec() accepts. In the file they lie by size, smallest first, as the builder's do;
/// one of a mebibyte or more starts at a multiple of 64 KiB (so it can be mapped), any other at a multiple of 64 bytes.
[[nodiscard]] TensorLayout lay_out(const ModelSpec& spec);

/// Initialiser names of the projection at a builder's path such as "model.layers.0.mlp.up_proj" or "lm_head".
[[nodiscard]] std::string codes_name(const std::string& path);
[[nodiscard]] std::string scales_name(const std::string& path);
[[nodiscard]] std::string zero_points_name(const std::string& path);

}  // namespace gonogo::models
