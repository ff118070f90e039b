// Rotary position embedding, computed in float32 from tables as the model gives them.
#pragma once

#include <cstdint>

#include "kernels/cpu.hpp"

namespace gonogo::kernels::rope {

enum class Style {
  half,         // pairs (i, i + rotary_dim / 2)
  interleaved,  // pairs (2i, 2i + 1)
};

struct Problem {
  std::int64_t tokens = 1;
  std::int64_t heads = 1;
  std::int64_t head_dim = 8;
  std::int64_t rotary_dim = 8;  // even, at most head_dim; elements from here on are copied
  Style style = Style::half;
};

/// One token's heads: data + token * token_stride + head * head_stride, in floats.
struct Layout {
  std::int64_t token_stride = 0, head_stride = 0;
};

struct Args {
  const float* x = nullptr;
  Layout x_layout;
  const float* cos = nullptr;               // [positions, rotary_dim / 2]
  const float* sin = nullptr;               // the same
  const std::int64_t* positions = nullptr;  // [tokens] rows of the tables, already checked against them
  float* y = nullptr;                       // may be x
  Layout y_layout;
};

/// y_a = x_a cos - x_b sin; y_b = x_b cos + x_a sin; each product and sum rounded once.
void rotate(const Problem& problem, const Args& args, Threads threads);

}  // namespace gonogo::kernels::rope
