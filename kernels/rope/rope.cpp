#include "kernels/rope/rope.hpp"

#include <cstring>

#include "kernels/parallel.hpp"

namespace gonogo::kernels::rope {
namespace {

void rotate_half(const float* x, const float* cos, const float* sin, float* y, std::int64_t pairs) {
  for (std::int64_t i = 0; i < pairs; ++i) {
    const float a = x[i], b = x[i + pairs];
    y[i] = a * cos[i] - b * sin[i];
    y[i + pairs] = b * cos[i] + a * sin[i];
  }
}

void rotate_interleaved(const float* x, const float* cos, const float* sin, float* y, std::int64_t pairs) {
  for (std::int64_t i = 0; i < pairs; ++i) {
    const float a = x[2 * i], b = x[2 * i + 1];
    y[2 * i] = a * cos[i] - b * sin[i];
    y[2 * i + 1] = b * cos[i] + a * sin[i];
  }
}

constexpr std::int64_t kGrainFloats = 16384;

}  // namespace

void rotate(const Problem& p, const Args& args, Threads threads) {
  const std::int64_t pairs = p.rotary_dim / 2;
  const std::int64_t grain = std::max<std::int64_t>(1, kGrainFloats / std::max<std::int64_t>(1, p.heads * p.head_dim));
  parallel_chunks(p.tokens, grain, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t token = begin; token < end; ++token) {
      const float* cos = args.cos + args.positions[token] * pairs;
      const float* sin = args.sin + args.positions[token] * pairs;
      for (std::int64_t head = 0; head < p.heads; ++head) {
        const float* x = args.x + token * args.x_layout.token_stride + head * args.x_layout.head_stride;
        float* y = args.y + token * args.y_layout.token_stride + head * args.y_layout.head_stride;
        if (p.style == Style::half)
          rotate_half(x, cos, sin, y, pairs);
        else
          rotate_interleaved(x, cos, sin, y, pairs);
        if (x != y)
          std::memcpy(y + p.rotary_dim, x + p.rotary_dim,
                      static_cast<std::size_t>(p.head_dim - p.rotary_dim) * sizeof(float));
      }
    }
  });
}

}  // namespace gonogo::kernels::rope
