// Attention of grouped query heads over a key/value cache, computed in float32 whatever the cache holds.
//
// A query row's result depends on nothing but its own query, its keys [begin, end) and its bias: not on how many rows
// run together, on the capacity, or on the threads. Time depends on valid keys, not on capacity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "harness/core/dtype.hpp"
#include "harness/core/eligibility.hpp"
#include "harness/core/scratch.hpp"
#include "harness/core/work.hpp"
#include "kernels/cpu.hpp"

namespace gonogo::kernels::attention {

enum class Variant { portable, simd };
[[nodiscard]] std::string_view name_of(Variant variant);

/// Shape and rules, without data. Query head h reads KV head h / (heads / kv_heads).
struct Problem {
  std::int64_t batch = 1;
  std::int64_t rows = 1;  // query rows per batch entry
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t head_dim = 8;
  std::int64_t capacity = 0;             // cache rows per (batch, KV head)
  core::DType cache = core::DType::f32;  // f32 or f16
  bool causal = true;
  std::int64_t window = -1;     // keys a row sees, itself included; -1: all; 0: none, the row's output is zero
  float scale = 1.0f;           // of q.k
  float softcap = 0.0f;         // s := softcap * tanh(s / softcap) after the scale; 0: off
  bool smooth_softmax = false;  // the denominator gets one more term, exp(0)
};

/// A [batch, rows, heads, head_dim] operand with strides in floats; head_dim is contiguous.
template <class T>
struct HeadRows {
  T* data = nullptr;
  std::int64_t batch_stride = 0, row_stride = 0, head_stride = 0;
  [[nodiscard]] T* at(std::int64_t b, std::int64_t row, std::int64_t head) const {
    return data + b * batch_stride + row * row_stride + head * head_stride;
  }
};

struct Args {
  HeadRows<const float> query;
  const std::byte* keys = nullptr;      // [batch, kv_heads, capacity, head_dim] of Problem::cache
  const std::byte* values = nullptr;    // the same
  const std::int64_t* first = nullptr;  // [batch] cache row of query row 0
  const std::int64_t* valid = nullptr;  // [batch] cache rows that hold data, at most capacity
  HeadRows<const float> bias;           // added to scores after softcap: at(b, row, head)[key]; data null: none
  const float* sinks = nullptr;         // [heads] one more term of the denominator, exp(sink); null: none
  HeadRows<float> output;
};

/// Cache rows [begin, end) that query row `row` sees: causal ones end after the row itself, none pass `valid`.
struct KeyRange {
  std::int64_t begin = 0, end = 0;
};
[[nodiscard]] KeyRange keys_of(const Problem& problem, std::int64_t first, std::int64_t valid, std::int64_t row);

[[nodiscard]] core::Eligibility eligible(const Problem& problem);

/// Scratch for `threads`: score rows and a tile of converted cache rows for each.
[[nodiscard]] std::size_t workspace_bytes(const Problem& problem, Threads threads);

/// Writes every output row; a row without keys becomes zero. `workspace` has workspace_bytes(), 64-byte aligned.
/// The problem must be eligible (LogicError otherwise).
void attend(Variant variant, const Problem& problem, const Args& args, std::span<std::byte> workspace, Threads threads);

/// Bytes and FLOPs when each row sees `keys` keys and each cache row is read once.
[[nodiscard]] core::Work work(const Problem& problem, std::int64_t keys);

}  // namespace gonogo::kernels::attention
