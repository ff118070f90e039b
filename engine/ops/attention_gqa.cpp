// com.microsoft.GroupQueryAttention as an operator: brings operands to float32, rotates, and hands over to the cache
// side.
#include "engine/ops/attention_gqa.hpp"

#include <fmt/format.h>

#include "engine/ops/attention_tables.hpp"
#include "engine/ops/call_scratch.hpp"
#include "engine/ops/float_io.hpp"

namespace gonogo::ops::gqa {
namespace {

using kernels::attention::HeadRows;

/// Tables and positions of the tokens of a call.
struct Rotary {
  RotaryTables tables;
  std::int64_t* positions = nullptr;
};

class GroupQueryAttention final : public Op {
 public:
  GroupQueryAttention(NodePlace place, Rules rules, const KernelChoice& choice)
      : place_(std::move(place)),
        rules_(rules),
        form_(form_of(choice.attention)),
        // The history has the two together: eager engines' plain kernels, then vectorised ones fed by the plan.
        variant_(form_ == Form::per_call ? kernels::attention::Variant::portable : kernels::attention::Variant::simd) {}

  std::vector<ValueFacts> infer(std::span<const ValueFacts> inputs) const override {
    const Shape shape = check_shapes(rules_, see(inputs), place_);
    const core::Shape cache{shape.batch, rules_.kv_heads, shape.present_rows, shape.head_dim};
    return {{shape.type, {shape.batch, shape.rows, rules_.heads * shape.head_dim}},
            {shape.cache, cache},
            {shape.cache, cache}};
  }

  std::size_t workspace_bytes(std::span<const ValueFacts> inputs, kernels::Threads threads) const override {
    return form_ == Form::per_call ? 0 : scratch_bytes(see(inputs), check_shapes(rules_, see(inputs), place_), threads);
  }

  void run(const RunContext& context) const override;

  core::Work work(std::span<const ValueFacts> inputs) const override {
    const Inputs seen = see(inputs);
    const Shape shape = check_shapes(rules_, seen, place_);
    const std::int64_t keys =
        seen[kTotal].data == nullptr ? shape.present_rows : *reinterpret_cast<const std::int32_t*>(seen[kTotal].data);
    core::Work work = kernels::attention::work(
        problem_of(rules_, shape), rules_.window < 0 ? keys : std::min(keys, rules_.window + shape.rows - 1));
    work.kv_bytes += 2 * static_cast<std::int64_t>(
                             core::bytes_of(shape.cache, shape.batch * shape.rows * rules_.kv_heads * shape.head_dim));
    return work;
  }

  std::string kernel(std::span<const ValueFacts>) const override {
    return fmt::format("gqa.{}.{}", name_of(form_), kernels::attention::name_of(variant_));
  }
  core::Eligibility capture(std::span<const ValueFacts>) const override { return capture_of(form_); }
  std::vector<std::pair<int, int>> in_place() const override {
    if (!rules_.present[kPastKey]) return {};
    return {{kPastKey, 1}, {kPastValue, 2}};
  }

 private:
  [[nodiscard]] std::size_t scratch_bytes(const Inputs& inputs, const Shape& shape, kernels::Threads threads) const;
  Rotary prepare_rotary(const Inputs& inputs, const Shape& shape, std::int64_t total, core::Scratch& scratch) const;
  HeadRows<const float> rotate(const HeadRows<const float>& rows, std::int64_t heads, const Shape& shape,
                               const Rotary& rotary, core::Scratch& scratch, kernels::Threads threads) const;

  NodePlace place_;
  Rules rules_;
  Form form_;
  kernels::attention::Variant variant_;
};

std::int64_t converted(const Seen& input) { return input.dtype == core::DType::f16 ? core::count_of(*input.shape) : 0; }

std::size_t GroupQueryAttention::scratch_bytes(const Inputs& inputs, const Shape& shape,
                                               kernels::Threads threads) const {
  core::Scratch counter;
  for (const std::size_t i : {kQuery, kKey, kValue, kBias, kSink})
    if (rules_.present[i]) (void)counter.take<float>(converted(inputs[i]));
  const std::int64_t tokens = shape.batch * shape.rows;
  if (shape.type == core::DType::f16) (void)counter.take<float>(tokens * rules_.heads * shape.head_dim);
  if (rules_.rotary) {
    (void)counter.take<std::int64_t>(tokens);
    count_tables(inputs[kCos].dtype, tokens, shape.rotary_dim / 2, counter);
    (void)counter.take<float>(tokens * rules_.heads * shape.head_dim);
    (void)counter.take<float>(tokens * rules_.kv_heads * shape.head_dim);
  }
  return counter.used() + cache_scratch_bytes(rules_, shape, threads);
}

/// Positions as ONNX Runtime's CPU kernel takes them: explicit ids count token by token, but a first prompt counts on
/// from the first id of the first row (docs/onnx-operators.md).
Rotary GroupQueryAttention::prepare_rotary(const Inputs& inputs, const Shape& shape, std::int64_t total,
                                           core::Scratch& scratch) const {
  Rotary rotary;
  rotary.positions = scratch.take<std::int64_t>(shape.batch * shape.rows);
  const auto* ids =
      rules_.present[kPositions] ? reinterpret_cast<const std::int64_t*>(inputs[kPositions].data) : nullptr;
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    const Entry entry = read_entry(rules_, shape, inputs, b, place_);
    for (std::int64_t s = 0; s < shape.rows; ++s) {
      std::int64_t position = entry.past + s;
      if (ids != nullptr) position = total == shape.rows ? ids[0] + s : ids[b * shape.rows + s];
      if (position < 0 || position >= shape.table_rows)
        reject(place_, "position, from 0 to below the rows of cos_cache", fmt::format("{}", shape.table_rows),
               fmt::format("{}", position));
      rotary.positions[b * shape.rows + s] = position;
    }
  }
  rotary.tables = read_tables({inputs[kCos].dtype, inputs[kCos].data}, {inputs[kSin].dtype, inputs[kSin].data},
                              rotary.positions, shape.batch * shape.rows, shape.rotary_dim / 2, scratch);
  return rotary;
}

HeadRows<const float> GroupQueryAttention::rotate(const HeadRows<const float>& rows, std::int64_t heads,
                                                  const Shape& shape, const Rotary& rotary, core::Scratch& scratch,
                                                  kernels::Threads threads) const {
  const std::int64_t tokens = shape.batch * shape.rows;
  const std::int64_t width = heads * shape.head_dim;
  float* to = scratch.take<float>(tokens * width);
  kernels::rope::rotate({.tokens = tokens,
                         .heads = heads,
                         .head_dim = shape.head_dim,
                         .rotary_dim = shape.rotary_dim,
                         .style = rules_.style},
                        {.x = rows.data,
                         .x_layout = {rows.row_stride, rows.head_stride},
                         .cos = rotary.tables.cos,
                         .sin = rotary.tables.sin,
                         .positions = rotary.positions,
                         .y = to,
                         .y_layout = {width, shape.head_dim}},
                        threads);
  return {to, shape.rows * width, width, shape.head_dim};
}

void GroupQueryAttention::run(const RunContext& context) const {
  const Inputs inputs = see(context.inputs);
  Shape shape = check_shapes(rules_, inputs, place_);
  // With a total read at run time the buffer given by the plan decides.
  shape.present_rows = context.outputs[1].shape[2];
  const std::int64_t total = read_total(rules_, shape, inputs, place_);
  CallScratch call_scratch(context, form_, form_ == Form::per_call ? scratch_bytes(inputs, shape, context.threads) : 0);
  core::Scratch& scratch = call_scratch.get();
  const auto read = [&](std::size_t i) { return rules_.present[i] ? read_f32(context.inputs[i], scratch) : nullptr; };

  Call call;
  call.total = total;
  const float* query = read(kQuery);
  const float* key = read(kKey);
  const float* value = read(kValue);
  const float* bias = read(kBias);
  call.sinks = read(kSink);
  const std::int64_t d = shape.head_dim;
  const auto rows_of = [&](const float* data, std::int64_t width) {
    return HeadRows<const float>{data, shape.rows * width, width, d};
  };
  if (shape.packed) {
    const std::int64_t width = (rules_.heads + 2 * rules_.kv_heads) * d;
    call.query = rows_of(query, width);
    call.key = rows_of(query + rules_.heads * d, width);
    call.value = rows_of(query + (rules_.heads + rules_.kv_heads) * d, width);
  } else {
    call.query = rows_of(query, rules_.heads * d);
    call.key = rows_of(key, rules_.kv_heads * d);
    call.value = rows_of(value, rules_.kv_heads * d);
  }
  if (bias != nullptr) {
    const core::Shape& extents = *inputs[kBias].shape;
    const std::int64_t plane = extents[2] * extents[3];
    call.bias = {bias, extents[0] == 1 ? 0 : extents[1] * plane, extents[3], extents[1] == 1 ? 0 : plane};
  }
  const WriteF32 output(context.outputs[0], scratch);
  call.output = {output.data(), shape.rows * rules_.heads * d, rules_.heads * d, d};
  if (rules_.rotary) {
    const Rotary rotary = prepare_rotary(inputs, shape, total, scratch);
    call.query = rotate(call.query, rules_.heads, shape, rotary, scratch, context.threads);
    call.key = rotate(call.key, rules_.kv_heads, shape, rotary, scratch, context.threads);
  }
  const Surroundings at{rules_, shape, inputs, place_, variant_, context.threads};
  if (rules_.rolling && total > shape.past_rows)
    run_rolling(at, call, context.outputs, scratch);
  else
    run_ordinary(at, call, context.outputs, scratch);
  output.store();
}

}  // namespace

std::unique_ptr<Op> make(const onnx::Node& node, std::int64_t, const NodePlace& place, std::span<const ValueFacts>,
                         const KernelChoice& choice) {
  return std::make_unique<GroupQueryAttention>(place, read_rules(node, place), choice);
}

}  // namespace gonogo::ops::gqa
