// Grouped-query attention over the cache on a CUDA device: the new rows' keys and values are in the cache already
// (rope_append). Row r of m sees keys 0 .. last_valid - m + 1 + r, the last `window` of them when a window is set.
// Lengths come from device memory and the grid covers the cache's capacity, so that one graph serves every length of
// its bucket. A row without keys becomes zero.
// Source: docs/onnx-operators.md, GroupQueryAttention: s = q.k * scale; softcap; + bias; mask; softmax with an
// optional sink per head.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/core/cuda/stream.hpp"
#include "harness/core/dtype.hpp"
#include "harness/core/eligibility.hpp"
#include "harness/core/work.hpp"
#include "kernels/overlap.hpp"

namespace gonogo::kernels::attention::cuda {

struct Problem {
  std::int64_t rows = 1;   // m
  std::int64_t heads = 0;  // H; query head h reads KV head h / (H / Hkv)
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t capacity = 0;    // rows of the cache per head
  float scale = 0;              // 0: 1 / sqrt(head_dim)
  float softcap = 0;            // 0: none
  std::int64_t window = -1;     // -1: none; 0: no keys
  bool smooth_softmax = false;  // a sink of 0 in the denominator, unless there is a learnt one
  bool head_sink = false;       // a learnt sink per head
  core::DType type = core::DType::f16;
  bool causal = true;                // false: every row sees every valid key
  std::int64_t bias_heads = 0;       // planes of the bias, 1 or heads; 0: no bias
  std::int64_t bias_row_stride = 0;  // elements between rows of the bias; 0: last_valid + 1, read on the device
};

/// Device pointers, 16-byte aligned.
struct Args {
  const void* query = nullptr;      // [rows, heads * head_dim], rotated
  const void* key_cache = nullptr;  // [kv_heads, capacity, head_dim]; rows past last_valid may hold anything
  const void* value_cache = nullptr;
  const std::int32_t* last_valid = nullptr;  // [1] on the device
  const void* sink = nullptr;                // [heads] when head_sink
  void* y = nullptr;                         // [rows, heads * head_dim]
  std::byte* workspace = nullptr;
  const void* bias = nullptr;  // [bias_heads, rows, bias_row_stride], element aligned
  Overlap overlap = Overlap::off;
};

/// head_dim a multiple of 8 up to 256; 1 to 16 query heads per KV head; window -1 or more; bias_heads 0, 1 or heads.
[[nodiscard]] core::Eligibility eligible(const Problem& problem);

/// Split over the cache in chunks of 64 rows at fixed places, partial results combined in chunk order: row r has the
/// same bits for every m and every capacity. float16 and bfloat16 multiply on the tensor cores, with softmax weights
/// rounded to the type; float32 does not. Two kernels.
[[nodiscard]] std::size_t split_workspace_bytes(const Problem& problem);
void split(const Problem& problem, const Args& args, core::StreamRef stream);

/// One block per 16 rows and head that walks the keys with a running softmax on the CUDA cores: the `before` kernel for
/// several rows. Row r has the same bits for every m and every capacity. No workspace.
void tiled(const Problem& problem, const Args& args, core::StreamRef stream);

/// At `past` tokens before the new rows: keys and values read once per KV head, as the byte model of a step counts
/// them.
[[nodiscard]] core::Work work(const Problem& problem, std::int64_t past);

}  // namespace gonogo::kernels::attention::cuda
