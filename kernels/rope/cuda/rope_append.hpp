// Rotary embedding of queries and keys and the append of keys and values to the cache, in one kernel on a CUDA device.
// The row's place in the cache comes from device memory, so that one graph serves every length of its bucket.
// Source: docs/onnx-operators.md, RotaryEmbedding. Half style pairs (i, i + rotary/2), interleaved pairs (2i, 2i +
// 1).
#pragma once

#include <cstdint>

#include "harness/core/cuda/stream.hpp"
#include "harness/core/dtype.hpp"
#include "harness/core/eligibility.hpp"
#include "harness/core/work.hpp"
#include "kernels/overlap.hpp"

namespace gonogo::kernels::rope::cuda {

struct Problem {
  std::int64_t rows = 1;  // new tokens m
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t rotary_dim = 0;  // 0: no rotation; else even and at most head_dim; the rest of a head passes through
  bool interleaved = false;
  std::int64_t capacity = 0;    // rows of the cache per head
  std::int64_t table_rows = 0;  // positions in cos and sin
  core::DType type = core::DType::f16;
};

/// Device pointers. Strides in elements between rows; packed qkv: query, key = query + H*D, value = key + Hkv*D, all
/// one stride.
struct Args {
  const void* query = nullptr;  // [rows, heads * head_dim]
  const void* key = nullptr;    // [rows, kv_heads * head_dim]
  const void* value = nullptr;  // [rows, kv_heads * head_dim]
  std::int64_t query_stride = 0;
  std::int64_t key_stride = 0;
  std::int64_t value_stride = 0;
  const void* cos = nullptr;  // [table_rows, rotary_dim / 2]
  const void* sin = nullptr;
  const std::int32_t* last_valid = nullptr;  // [1] on the device: index of the last row of the cache after this step
  const std::int64_t* positions = nullptr;   // [rows] on the device, or null: last_valid - rows + 1 + r
  void* rotated = nullptr;                   // [rows, heads * head_dim], dense; may be `query` when that is dense
  void* key_cache = nullptr;                 // [kv_heads, capacity, head_dim]
  void* value_cache = nullptr;
  Overlap overlap = Overlap::off;
};

[[nodiscard]] core::Eligibility eligible(const Problem& problem);
/// A row whose place lies outside the cache is not stored; a position outside the tables is clamped: the host checks
/// both first.
void rope_append(const Problem& problem, const Args& args, core::StreamRef stream);
[[nodiscard]] core::Work work(const Problem& problem);

/// Where the fields of a packed qkv row start. Sets the three pointers and strides of `args`.
void set_packed_qkv(const Problem& problem, const void* qkv, Args& args);

}  // namespace gonogo::kernels::rope::cuda
