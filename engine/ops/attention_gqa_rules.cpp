// What GroupQueryAttention accepts: attributes, shapes, and the lengths a call brings.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/ops/attention_gqa.hpp"

namespace gonogo::ops::gqa {
namespace {

constexpr std::array<const char*, kInputs> kNames = {"query",
                                                     "key",
                                                     "value",
                                                     "past_key",
                                                     "past_value",
                                                     "seqlens_k",
                                                     "total_sequence_length",
                                                     "cos_cache",
                                                     "sin_cache",
                                                     "position_ids",
                                                     "attention_bias",
                                                     "head_sink",
                                                     "k_scale",
                                                     "v_scale",
                                                     "q_norm_weight",
                                                     "k_norm_weight"};

/// Throws unless the input's type is one of float32 and float16, the types this backend computes in.
void want_float(const Inputs& inputs, std::size_t index, const NodePlace& place) {
  const core::DType type = inputs[index].dtype;
  if (type != core::DType::f32 && type != core::DType::f16)
    reject(place, fmt::format("type of {}, one of", kNames[index]), "float32, float16",
           std::string(core::name_of(type)));
}

void want_type(const Inputs& inputs, std::size_t index, core::DType type, const NodePlace& place) {
  if (inputs[index].dtype != type)
    reject(place, fmt::format("type of {}", kNames[index]), std::string(core::name_of(type)),
           std::string(core::name_of(inputs[index].dtype)));
}

void want_shape(const Inputs& inputs, std::size_t index, const core::Shape& shape, const NodePlace& place) {
  if (*inputs[index].shape != shape)
    reject(place, fmt::format("shape of {}", kNames[index]), core::to_string(shape),
           core::to_string(*inputs[index].shape));
}

std::int64_t known_total(const Inputs& inputs) {
  return inputs[kTotal].data == nullptr ? -1 : *reinterpret_cast<const std::int32_t*>(inputs[kTotal].data);
}

void check_query(const Rules& rules, const Inputs& inputs, Shape& shape, const NodePlace& place) {
  const core::Shape& query = *inputs[kQuery].shape;
  want_float(inputs, kQuery, place);
  shape.type = inputs[kQuery].dtype;
  if (query.size() != 3) reject(place, "rank of query", "3", fmt::format("{}", query.size()));
  shape.batch = query[0];
  shape.rows = query[1];
  if (shape.batch < 1 || shape.rows < 1)
    reject(place, "batch and sequence length, at least", "1", core::to_string(query));
  shape.packed = !rules.present[kKey];
  const std::int64_t width = shape.packed ? rules.heads + 2 * rules.kv_heads : rules.heads;
  if (query[2] % width != 0)
    reject(place, "last extent of query, a multiple of the heads in it", fmt::format("{}", width),
           fmt::format("{}", query[2]));
  shape.head_dim = query[2] / width;
  if (!shape.packed)
    for (const auto index : {kKey, kValue}) {
      want_type(inputs, index, shape.type, place);
      want_shape(inputs, index, {shape.batch, shape.rows, rules.kv_heads * shape.head_dim}, place);
    }
  if (rules.rotary && shape.head_dim % 16 != 0)
    reject(place, "head size with rotary, a multiple of", "16", fmt::format("{}", shape.head_dim));
}

void check_cache(const Rules& rules, const Inputs& inputs, Shape& shape, const NodePlace& place) {
  shape.cache = shape.type;
  if (rules.present[kPastKey]) {
    const core::Shape& past = *inputs[kPastKey].shape;
    want_float(inputs, kPastKey, place);
    if (past.size() != 4) reject(place, "rank of past_key", "4", fmt::format("{}", past.size()));
    shape.past_rows = past[2];
    shape.cache = inputs[kPastKey].dtype;
    want_type(inputs, kPastValue, shape.cache, place);
    for (const auto index : {kPastKey, kPastValue})
      want_shape(inputs, index, {shape.batch, rules.kv_heads, shape.past_rows, shape.head_dim}, place);
  }
  if (rules.rolling && shape.past_rows < rules.window)
    reject(place, "rows of a sliding window cache, at least the window", fmt::format("{}", rules.window),
           fmt::format("{}", shape.past_rows));
  const std::int64_t total = known_total(inputs);
  if (rules.rolling)
    shape.present_rows = shape.past_rows;
  else if (total >= 0)
    shape.present_rows = std::max(total, shape.past_rows);
  else
    shape.present_rows = shape.past_rows > 0 ? shape.past_rows : shape.rows;
}

void check_rotary(const Rules& rules, const Inputs& inputs, Shape& shape, const NodePlace& place) {
  if (!rules.rotary) return;
  const core::Shape& cos = *inputs[kCos].shape;
  for (const auto index : {kCos, kSin}) want_float(inputs, index, place);
  want_type(inputs, kSin, inputs[kCos].dtype, place);
  if (cos.size() != 2) reject(place, "rank of cos_cache", "2", fmt::format("{}", cos.size()));
  want_shape(inputs, kSin, cos, place);
  if (cos[1] < 8 || cos[1] % 8 != 0) reject(place, "width of cos_cache, a multiple of", "8", fmt::format("{}", cos[1]));
  if (2 * cos[1] > shape.head_dim)
    reject(place, "width of cos_cache, at most half the head size", fmt::format("{}", shape.head_dim / 2),
           fmt::format("{}", cos[1]));
  shape.rotary_dim = 2 * cos[1];
  shape.table_rows = cos[0];
  if (rules.present[kPositions]) {
    want_type(inputs, kPositions, core::DType::i64, place);
    want_shape(inputs, kPositions, {shape.batch, shape.rows}, place);
  }
}

void check_bias(const Rules& rules, const Inputs& inputs, const Shape& shape, const NodePlace& place) {
  if (rules.present[kSink]) {
    want_float(inputs, kSink, place);
    want_shape(inputs, kSink, {rules.heads}, place);
  }
  if (!rules.present[kBias]) return;
  const core::Shape& bias = *inputs[kBias].shape;
  want_float(inputs, kBias, place);
  const bool fits = bias.size() == 4 && (bias[0] == 1 || bias[0] == shape.batch) &&
                    (bias[1] == 1 || bias[1] == rules.heads) && bias[2] == shape.rows;
  if (!fits)
    reject(place, "shape of attention_bias",
           fmt::format("[1 or {}, 1 or {}, {}, total_sequence_length]", shape.batch, rules.heads, shape.rows),
           core::to_string(bias));
  const std::int64_t total = known_total(inputs);
  if (total >= 0 && bias[3] != total)
    reject(place, "last extent of attention_bias, total_sequence_length", fmt::format("{}", total),
           fmt::format("{}", bias[3]));
}

}  // namespace

Inputs see(std::span<const ValueFacts> facts) {
  Inputs seen;
  for (std::size_t i = 0; i < std::min<std::size_t>(facts.size(), kInputs); ++i)
    seen[i] = {facts[i].dtype, &facts[i].shape, facts[i].constant};
  return seen;
}

Inputs see(std::span<const core::Tensor> tensors) {
  Inputs seen;
  for (std::size_t i = 0; i < std::min<std::size_t>(tensors.size(), kInputs); ++i)
    seen[i] = {tensors[i].dtype, &tensors[i].shape, tensors[i].data};
  return seen;
}

Shape check_shapes(const Rules& rules, const Inputs& inputs, const NodePlace& place) {
  Shape shape;
  check_query(rules, inputs, shape, place);
  check_cache(rules, inputs, shape, place);
  check_rotary(rules, inputs, shape, place);
  check_bias(rules, inputs, shape, place);
  for (const auto index : {kSeqlens, kTotal}) want_type(inputs, index, core::DType::i32, place);
  if (*inputs[kSeqlens].shape != core::Shape{shape.batch, 1}) want_shape(inputs, kSeqlens, {shape.batch}, place);
  if (!inputs[kTotal].shape->empty()) want_shape(inputs, kTotal, {1}, place);
  if (const auto ok = kernels::attention::eligible(problem_of(rules, shape)); !ok) reject(place, ok.reason());
  return shape;
}

std::int64_t read_total(const Rules& rules, const Shape& shape, const Inputs& inputs, const NodePlace& place) {
  const std::int64_t total = known_total(inputs);
  if (total < shape.rows)
    reject(place, "total_sequence_length, at least the new rows", fmt::format("{}", shape.rows),
           fmt::format("{}", total));
  if (!rules.rolling && total > shape.present_rows)
    reject(place, "total_sequence_length, at most the rows of the cache (it is full)",
           fmt::format("{}", shape.present_rows), fmt::format("{}", total));
  if (rules.rotary && total > shape.table_rows)
    reject(place, "total_sequence_length, at most the rows of cos_cache", fmt::format("{}", shape.table_rows),
           fmt::format("{}", total));
  if (total != shape.rows && shape.rows > 1 && shape.batch > 1)
    reject(place, "batch of a continued prompt", "1", fmt::format("{}", shape.batch));
  return total;
}

Entry read_entry(const Rules& rules, const Shape& shape, const Inputs& inputs, std::int64_t b, const NodePlace& place) {
  const std::int64_t last = reinterpret_cast<const std::int32_t*>(inputs[kSeqlens].data)[b];
  const std::int64_t total = known_total(inputs);
  if (last < 0 || last >= total)
    reject(place, "seqlens_k, from 0 to below total_sequence_length", fmt::format("{}", total),
           fmt::format("{}", last));
  const bool first_prompt = total == shape.rows;
  const Entry entry{last + 1, first_prompt ? 0 : last + 1 - shape.rows};
  if (entry.past < 0)
    reject(place, "seqlens_k + 1, at least the new rows", fmt::format("{}", shape.rows), fmt::format("{}", last + 1));
  if (!rules.rolling && entry.past > shape.past_rows)
    reject(place, "past rows, at most those of past_key", fmt::format("{}", shape.past_rows),
           fmt::format("{}", entry.past));
  return entry;
}

std::int64_t rolling_rows(std::int64_t length, std::int64_t capacity, std::int64_t window) {
  if (length <= capacity) return length;
  const std::int64_t gap = capacity - window + 1;
  return length - gap * ((length - capacity + gap - 1) / gap);
}

kernels::attention::Problem problem_of(const Rules& rules, const Shape& shape) {
  return {.batch = shape.batch,
          .rows = shape.rows,
          .heads = rules.heads,
          .kv_heads = rules.kv_heads,
          .head_dim = shape.head_dim,
          .capacity = shape.present_rows,
          .cache = shape.cache,
          .causal = rules.causal,
          .window = rules.window,
          .scale = rules.scale != 0.0f ? rules.scale : 1.0f / std::sqrt(static_cast<float>(shape.head_dim)),
          .softcap = rules.softcap,
          .smooth_softmax = rules.smooth_softmax};
}

Rules read_rules(const onnx::Node& node, const NodePlace& place) {
  Attributes attributes(node, place);
  Rules rules;
  rules.heads = attributes.required_integer("num_heads");
  rules.kv_heads = attributes.required_integer("kv_num_heads");
  if (rules.heads < 1 || rules.kv_heads < 1 || rules.heads % rules.kv_heads != 0)
    reject(place, "num_heads, a positive multiple of kv_num_heads", fmt::format("a multiple of {}", rules.kv_heads),
           fmt::format("{}", rules.heads));
  rules.scale = attributes.real("scale", 0.0f);
  rules.softcap = attributes.real("softcap", 0.0f);
  rules.rotary = attributes.integer("do_rotary", 0) != 0;
  if (attributes.integer("rotary_interleaved", 0) != 0) rules.style = kernels::rope::Style::interleaved;
  rules.window = attributes.integer("local_window_size", -1);
  if (rules.window < -1) reject(place, "local_window_size, at least", "-1", fmt::format("{}", rules.window));
  rules.smooth_softmax = attributes.integer("smooth_softmax", 0) > 0;  // old files write -1 for "not set"
  rules.causal = attributes.integer("causal", 1) != 0;
  rules.rolling = attributes.integer("sliding_window_cache", 0) != 0;
  attributes.only("qk_output", 0);
  attributes.only("k_quant_type", "NONE");
  attributes.only("v_quant_type", "NONE");
  // These two speak of a quantised cache and of q/k norm weights, which are refused: without those they have no effect.
  (void)attributes.integer("kv_cache_bit_width", 0);
  (void)attributes.real("qk_norm_epsilon", 0.0f);
  attributes.finish();

  if (node.inputs.size() > kInputs)
    reject(place, "inputs, at most", fmt::format("{}", std::size_t{kInputs}), fmt::format("{}", node.inputs.size()));
  for (std::size_t i = 0; i < node.inputs.size(); ++i) rules.present[i] = !node.inputs[i].empty();
  for (const std::size_t i : {kQuery, kSeqlens, kTotal})
    if (!rules.present[i]) reject(place, fmt::format("input {}", kNames[i]), "present", "absent");
  for (const std::size_t i : {kKeyScale, kValueScale, kQueryNorm, kKeyNorm})
    if (rules.present[i]) reject(place, fmt::format("input {}", kNames[i]), "absent", "present");
  for (const auto& [one, other] : {std::pair{kKey, kValue}, std::pair{kPastKey, kPastValue}, std::pair{kCos, kSin}})
    if (rules.present[one] != rules.present[other])
      reject(place, fmt::format("inputs {} and {}", kNames[one], kNames[other]), "both or neither",
             rules.present[one] ? kNames[one] : kNames[other]);
  if (rules.rotary && !rules.present[kCos]) reject(place, "input cos_cache with do_rotary", "present", "absent");
  if (rules.present[kSink] && rules.smooth_softmax) reject(place, "smooth_softmax with head_sink", "0", "1");
  if (!rules.causal && rules.window >= 0)
    reject(place, "local_window_size with causal 0", "-1", fmt::format("{}", rules.window));
  if (rules.rolling && rules.window < 1)
    reject(place, "local_window_size with sliding_window_cache, at least", "1", fmt::format("{}", rules.window));
  if (rules.rolling && rules.present[kBias])
    reject(place, "attention_bias with sliding_window_cache", "absent", "present");
  if (rules.rolling && !rules.present[kPastKey])
    reject(place, "past_key with sliding_window_cache", "present", "absent");
  for (std::size_t i = 1; i < 3; ++i)
    if (node.outputs.size() <= i || node.outputs[i].empty())
      reject(place, "outputs present_key and present_value", "bound", "not bound");
  if (node.outputs.size() > 3 && !node.outputs[3].empty())
    reject(place, "output output_qk", "not bound", node.outputs[3]);
  return rules;
}

}  // namespace gonogo::ops::gqa
