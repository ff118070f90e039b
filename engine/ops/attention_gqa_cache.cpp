// The cache side of GroupQueryAttention: append in place or copy, the rolling cache of windowed layers, and the
// attention itself.
#include <algorithm>
#include <cstring>

#include "engine/ops/attention_gqa.hpp"
#include "kernels/attention/kv_append.hpp"

namespace gonogo::ops::gqa {
namespace {

using kernels::attention::CacheShape;
using kernels::attention::HeadRows;

/// Rows of the buffer in which a rolling call sees its keys: what a window may still need of the past, and the new
/// ones.
std::int64_t staged_rows(const Rules& rules, const Shape& shape) {
  return std::min(shape.past_rows, rules.window - 1) + shape.rows;
}

/// One (batch, KV head) of a cache, as bytes.
struct Plane {
  std::byte* data;
  std::size_t row_bytes;
  [[nodiscard]] std::byte* row(std::int64_t i) const { return data + static_cast<std::size_t>(i) * row_bytes; }
};
Plane plane_of(std::byte* cache, core::DType type, std::int64_t index, std::int64_t rows, std::int64_t head_dim) {
  const std::size_t row_bytes = core::bytes_of(type, head_dim);
  return {cache == nullptr ? nullptr : cache + static_cast<std::size_t>(index * rows) * row_bytes, row_bytes};
}
void copy_rows(const Plane& to, std::int64_t to_row, const Plane& from, std::int64_t from_row, std::int64_t count) {
  if (count > 0) std::memmove(to.row(to_row), from.row(from_row), static_cast<std::size_t>(count) * to.row_bytes);
}
void zero_rows(const Plane& plane, std::int64_t begin, std::int64_t end) {
  if (begin < end) std::memset(plane.row(begin), 0, static_cast<std::size_t>(end - begin) * plane.row_bytes);
}

/// The new rows of one batch entry only.
HeadRows<const float> of_entry(HeadRows<const float> rows, std::int64_t b) {
  rows.data = rows.at(b, 0, 0);
  return rows;
}

struct Lengths {
  std::int64_t* first = nullptr;
  std::int64_t* valid = nullptr;
};
Lengths take_lengths(core::Scratch& scratch, const Shape& shape) {
  Lengths lengths;
  lengths.first = scratch.take<std::int64_t>(shape.batch);
  lengths.valid = scratch.take<std::int64_t>(shape.batch);
  return lengths;
}

/// Runs the kernel over caches of problem.capacity rows.
void attend(const Surroundings& at, const kernels::attention::Problem& problem, const Call& call, const std::byte* keys,
            const std::byte* values, const Lengths& lengths, core::Scratch& scratch) {
  const kernels::attention::Args args{.query = call.query,
                                      .keys = keys,
                                      .values = values,
                                      .first = lengths.first,
                                      .valid = lengths.valid,
                                      .bias = call.bias,
                                      .sinks = call.sinks,
                                      .output = call.output};
  const std::size_t bytes = kernels::attention::workspace_bytes(problem, at.threads);
  auto* workspace = scratch.take<std::byte>(static_cast<std::int64_t>(bytes));
  kernels::attention::attend(at.variant, problem, args, {workspace, bytes}, at.threads);
}

/// The valid past and the new rows into `present`; rows after them become zero unless the storage is shared.
void update_ordinary(const Surroundings& at, const core::Tensor& present, const std::byte* past,
                     const HeadRows<const float>& fresh, const Lengths& lengths) {
  const Shape& shape = at.shape;
  const bool shared = past == present.data;
  GONOGO_EXPECT(
      !shared || shape.past_rows == shape.present_rows,
      std::to_string(shape.past_rows) + " past rows share storage with " + std::to_string(shape.present_rows));
  if (!shared)
    for (std::int64_t i = 0; i < shape.batch * at.rules.kv_heads; ++i) {
      const std::int64_t past_rows = lengths.first[i / at.rules.kv_heads];
      const Plane to = plane_of(present.data, shape.cache, i, shape.present_rows, shape.head_dim);
      if (past_rows > 0)
        copy_rows(to, 0, plane_of(const_cast<std::byte*>(past), shape.cache, i, shape.past_rows, shape.head_dim), 0,
                  past_rows);
      zero_rows(to, past_rows + shape.rows, shape.present_rows);
    }
  kernels::attention::kv_append({shape.batch, at.rules.kv_heads, shape.present_rows, shape.head_dim, shape.cache},
                                present.data, fresh, lengths.first, shape.rows);
}

}  // namespace

std::size_t cache_scratch_bytes(const Rules& rules, const Shape& shape, kernels::Threads threads) {
  core::Scratch counter;
  (void)take_lengths(counter, shape);
  kernels::attention::Problem problem = problem_of(rules, shape);
  if (rules.rolling) {
    // The staged run may want more score rows than the ordinary one, or fewer.
    const std::int64_t rows = staged_rows(rules, shape);
    const auto bytes =
        static_cast<std::int64_t>(core::bytes_of(shape.cache, shape.batch * rules.kv_heads * rows * shape.head_dim));
    (void)counter.take<std::byte>(bytes);
    (void)counter.take<std::byte>(bytes);
    problem.capacity = std::max(problem.capacity, rows);
  }
  (void)counter.take<std::byte>(static_cast<std::int64_t>(kernels::attention::workspace_bytes(problem, threads)));
  return counter.used();
}

void run_ordinary(const Surroundings& at, const Call& call, std::span<core::Tensor> outputs, core::Scratch& scratch) {
  const Lengths lengths = take_lengths(scratch, at.shape);
  for (std::int64_t b = 0; b < at.shape.batch; ++b) {
    const Entry entry = read_entry(at.rules, at.shape, at.inputs, b, at.place);
    lengths.first[b] = entry.past;
    lengths.valid[b] = entry.length;
  }
  update_ordinary(at, outputs[1], at.inputs[kPastKey].data, call.key, lengths);
  update_ordinary(at, outputs[2], at.inputs[kPastValue].data, call.value, lengths);
  attend(at, problem_of(at.rules, at.shape), call, outputs[1].data, outputs[2].data, lengths, scratch);
}

void run_rolling(const Surroundings& at, const Call& call, std::span<core::Tensor> outputs, core::Scratch& scratch) {
  const Shape& shape = at.shape;
  const std::int64_t kv_heads = at.rules.kv_heads;
  const std::int64_t rows = staged_rows(at.rules, shape);
  const Lengths lengths = take_lengths(scratch, shape);
  const auto bytes =
      static_cast<std::int64_t>(core::bytes_of(shape.cache, shape.batch * kv_heads * rows * shape.head_dim));
  std::byte* const staged[2] = {scratch.take<std::byte>(bytes), scratch.take<std::byte>(bytes)};
  const std::byte* const past[2] = {at.inputs[kPastKey].data, at.inputs[kPastValue].data};
  const HeadRows<const float> fresh[2] = {call.key, call.value};

  for (std::int64_t b = 0; b < shape.batch; ++b) {
    const Entry entry = read_entry(at.rules, shape, at.inputs, b, at.place);
    const std::int64_t new_rows = entry.length - entry.past;  // fewer than shape.rows in a padded prompt
    const std::int64_t old_rows = rolling_rows(entry.past, shape.past_rows, at.rules.window);
    const std::int64_t kept = std::min(old_rows, at.rules.window - 1);
    const std::int64_t left = rolling_rows(entry.length, shape.past_rows, at.rules.window);
    const std::int64_t oldest = entry.length - left;                           // position of present row 0
    const std::int64_t stay = std::max<std::int64_t>(0, entry.past - oldest);  // old rows that stay
    const std::int64_t skip = std::max<std::int64_t>(0, oldest - entry.past);  // new rows that no longer fit
    lengths.first[b] = kept;
    lengths.valid[b] = kept + new_rows;
    for (int side = 0; side < 2; ++side) {
      std::byte* const present = outputs[static_cast<std::size_t>(side) + 1].data;
      const std::size_t staged_bytes = core::bytes_of(shape.cache, kv_heads * rows * shape.head_dim);
      std::byte* const entry_staged = staged[side] + static_cast<std::size_t>(b) * staged_bytes;
      for (std::int64_t h = 0; h < kv_heads; ++h)
        copy_rows(plane_of(entry_staged, shape.cache, h, rows, shape.head_dim), 0,
                  plane_of(const_cast<std::byte*>(past[side]), shape.cache, b * kv_heads + h, shape.past_rows,
                           shape.head_dim),
                  old_rows - kept, kept);
      kernels::attention::kv_append({1, kv_heads, rows, shape.head_dim, shape.cache}, entry_staged,
                                    of_entry(fresh[side], b), &kept, shape.rows);
      for (std::int64_t h = 0; h < kv_heads; ++h) {
        const Plane from = plane_of(entry_staged, shape.cache, h, rows, shape.head_dim);
        const Plane old = plane_of(const_cast<std::byte*>(past[side]), shape.cache, b * kv_heads + h, shape.past_rows,
                                   shape.head_dim);
        const Plane to = plane_of(present, shape.cache, b * kv_heads + h, shape.present_rows, shape.head_dim);
        copy_rows(to, 0, old, old_rows - stay, stay);
        copy_rows(to, stay, from, kept + skip, left - stay);
        if (past[side] != present) zero_rows(to, left, shape.present_rows);
      }
    }
  }
  kernels::attention::Problem problem = problem_of(at.rules, shape);
  problem.capacity = rows;
  attend(at, problem, call, staged[0], staged[1], lengths, scratch);
}

}  // namespace gonogo::ops::gqa
