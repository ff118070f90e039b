// ai.onnx Attention 23 and 24 in the forms that name no cache buffer: present = concat(past, new). Source:
// onnx Operators.md, Attention-23/24; nonpad_kv_seqlen, windows (25) and the qk output are refused by name.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "engine/ops/attention_rotary.hpp"
#include "engine/ops/attributes.hpp"
#include "engine/ops/call_scratch.hpp"
#include "engine/ops/float_io.hpp"
#include "kernels/attention/attention.hpp"
#include "kernels/attention/kv_append.hpp"

namespace gonogo::ops {
namespace {

using kernels::attention::HeadRows;
using kernels::attention::Problem;

enum Input : std::size_t { kQ, kK, kV, kMask, kPastKey, kPastValue, kNonpad, kInputs };

struct Rules {
  bool causal = false;
  std::int64_t heads = 0, kv_heads = 0;  // of rank-3 operands
  float scale = 0.0f;
  float softcap = 0.0f;
  bool mask = false, past = false, presents = false;
};

/// q is [batch, heads, rows, dim] or [batch, rows, heads * dim]; keys are those of the call, past first.
struct Extents {
  Problem problem;
  bool heads_first = true;
  std::int64_t past = 0, fresh = 0;
  core::DType type = core::DType::f32;
};

struct Face {
  core::DType dtype = core::DType::f32;
  const core::Shape* shape = nullptr;
};

class Attention final : public Op {
 public:
  Attention(Rules rules, NodePlace place, const KernelChoice& choice)
      : rules_(rules),
        place_(std::move(place)),
        form_(form_of(choice.attention)),
        variant_(form_ == Form::per_call ? kernels::attention::Variant::portable : kernels::attention::Variant::simd) {}

  std::vector<ValueFacts> infer(std::span<const ValueFacts> inputs) const override {
    const Extents e = check(faces_of(inputs));
    std::vector<ValueFacts> facts{{e.type, inputs[kQ].shape}};
    if (rules_.presents)
      for (int side = 0; side < 2; ++side)
        facts.push_back({e.type, {e.problem.batch, e.problem.kv_heads, e.problem.capacity, e.problem.head_dim}});
    return facts;
  }

  std::size_t workspace_bytes(std::span<const ValueFacts> inputs, kernels::Threads threads) const override {
    return form_ == Form::per_call ? 0 : scratch_bytes(faces_of(inputs), threads);
  }
  void run(const RunContext& context) const override;

  core::Work work(std::span<const ValueFacts> inputs) const override {
    const Extents e = check(faces_of(inputs));
    return kernels::attention::work(e.problem, e.problem.capacity);
  }
  std::string kernel(std::span<const ValueFacts>) const override {
    return fmt::format("attention.{}.{}", name_of(form_), kernels::attention::name_of(variant_));
  }
  core::Eligibility capture(std::span<const ValueFacts>) const override { return capture_of(form_); }

 private:
  template <class T>
  static std::vector<Face> faces_of(std::span<const T> values) {
    std::vector<Face> faces(kInputs);
    for (std::size_t i = 0; i < std::min<std::size_t>(values.size(), kInputs); ++i)
      faces[i] = {values[i].dtype, &values[i].shape};
    return faces;
  }
  [[nodiscard]] Extents check(const std::vector<Face>& inputs) const;
  void check_mask(const Face& mask, const Extents& e) const;
  [[nodiscard]] std::size_t scratch_bytes(const std::vector<Face>& inputs, kernels::Threads threads) const;
  [[nodiscard]] HeadRows<const float> read_mask(const core::Tensor& mask, core::Scratch& scratch) const;
  /// Past and new rows into `cache` ([batch, kv_heads, past + new, dim]).
  void concat(const Extents& e, const core::Tensor& past, const HeadRows<const float>& fresh, const std::int64_t* first,
              std::byte* cache) const;

  Rules rules_;
  NodePlace place_;
  Form form_;
  kernels::attention::Variant variant_;
};

Extents Attention::check(const std::vector<Face>& inputs) const {
  const core::Shape& q = *inputs[kQ].shape;
  Extents e{.heads_first = q.size() == 4, .type = inputs[kQ].dtype};
  if (e.type != core::DType::f32 && e.type != core::DType::f16)
    reject(place_, "type of Q, one of", "float32, float16", std::string(core::name_of(e.type)));
  if (q.size() != 3 && q.size() != 4) reject(place_, "rank of Q, one of", "3, 4", fmt::format("{}", q.size()));
  if (!e.heads_first && (rules_.heads < 1 || rules_.kv_heads < 1))
    reject(place_, "q_num_heads and kv_num_heads with rank 3, at least", "1", "absent");
  const core::Shape& k = *inputs[kK].shape;
  if (k.size() != q.size() || k[0] != q[0])
    reject(place_, "rank and batch of K, those of Q", core::to_string(q), core::to_string(k));
  Problem& p = e.problem;
  p.batch = q[0];
  p.rows = e.heads_first ? q[2] : q[1];
  p.heads = e.heads_first ? q[1] : rules_.heads;
  p.kv_heads = e.heads_first ? k[1] : rules_.kv_heads;
  if (!e.heads_first && q[2] % p.heads != 0)
    reject(place_, "last extent of Q, a multiple of q_num_heads", fmt::format("{}", p.heads), fmt::format("{}", q[2]));
  p.head_dim = e.heads_first ? q[3] : q[2] / p.heads;
  e.fresh = e.heads_first ? k[2] : k[1];
  const core::Shape wanted = e.heads_first ? core::Shape{p.batch, p.kv_heads, e.fresh, p.head_dim}
                                           : core::Shape{p.batch, e.fresh, p.kv_heads * p.head_dim};
  for (const std::size_t i : {kK, kV}) {
    if (*inputs[i].shape != wanted)
      reject(place_, fmt::format("shape of {}", i == kK ? "K" : "V"), core::to_string(wanted),
             core::to_string(*inputs[i].shape));
    if (inputs[i].dtype != e.type)
      reject(place_, "types of K and V, that of Q", std::string(core::name_of(e.type)),
             std::string(core::name_of(inputs[i].dtype)));
  }
  if (rules_.past) {
    if (inputs[kPastKey].shape->size() == 4) e.past = (*inputs[kPastKey].shape)[2];
    const core::Shape past{p.batch, p.kv_heads, e.past, p.head_dim};
    for (const std::size_t i : {kPastKey, kPastValue})
      if (*inputs[i].shape != past || inputs[i].dtype != e.type)
        reject(place_, "shape of past_key and past_value", core::to_string(past), core::to_string(*inputs[i].shape));
  }
  if (rules_.causal && !rules_.past && e.fresh != p.rows)
    reject(place_, "is_causal without a past: rows of K, those of Q", fmt::format("{}", p.rows),
           fmt::format("{}", e.fresh));
  p.capacity = e.past + e.fresh;
  p.cache = e.type;
  p.causal = rules_.causal;
  p.scale = rules_.scale != 0.0f ? rules_.scale : 1.0f / std::sqrt(static_cast<float>(p.head_dim));
  p.softcap = rules_.softcap;
  if (rules_.mask) check_mask(inputs[kMask], e);
  if (const auto ok = kernels::attention::eligible(p); !ok) reject(place_, ok.reason());
  return e;
}

void Attention::check_mask(const Face& mask, const Extents& e) const {
  const Problem& p = e.problem;
  if (mask.dtype != e.type && mask.dtype != core::DType::boolean)
    reject(place_, "type of attn_mask, one of", fmt::format("bool, {}", core::name_of(e.type)),
           std::string(core::name_of(mask.dtype)));
  const core::Shape full{p.batch, p.heads, p.rows, p.capacity};
  const core::Shape& shape = *mask.shape;
  bool fits = shape.size() >= 2 && shape.size() <= 4 && shape.back() == p.capacity;
  for (std::size_t d = 0; fits && d + 1 < shape.size(); ++d)
    fits = shape[d] == 1 || shape[d] == full[d + 4 - shape.size()];
  if (!fits)
    reject(place_, "shape of attn_mask, broadcasting (all but the last extent) to", core::to_string(full),
           core::to_string(shape));
}

std::size_t Attention::scratch_bytes(const std::vector<Face>& inputs, kernels::Threads threads) const {
  const Extents e = check(inputs);
  core::Scratch counter;
  if (e.type == core::DType::f16)
    for (const std::size_t i : {kQ, kK, kV, kQ})
      (void)counter.take<float>(core::count_of(*inputs[i].shape));  // and the output
  if (rules_.mask) (void)counter.take<float>(core::count_of(*inputs[kMask].shape));
  (void)counter.take<std::int64_t>(e.problem.batch);
  (void)counter.take<std::int64_t>(e.problem.batch);
  if (!rules_.presents)
    for (int side = 0; side < 2; ++side)
      (void)counter.take<std::byte>(static_cast<std::int64_t>(
          core::bytes_of(e.type, e.problem.batch * e.problem.kv_heads * e.problem.capacity * e.problem.head_dim)));
  (void)counter.take<std::byte>(static_cast<std::int64_t>(kernels::attention::workspace_bytes(e.problem, threads)));
  return counter.used();
}

HeadRows<const float> Attention::read_mask(const core::Tensor& mask, core::Scratch& scratch) const {
  const float* values = nullptr;
  if (mask.dtype == core::DType::boolean) {
    auto* bias = scratch.take<float>(mask.count());
    for (std::int64_t i = 0; i < mask.count(); ++i)
      bias[i] = mask.as<std::uint8_t>()[i] != 0 ? 0.0f : -std::numeric_limits<float>::infinity();
    values = bias;
  } else {
    values = read_f32(mask, scratch);
  }
  core::Shape shape = mask.shape;
  while (shape.size() < 4) shape.insert(shape.begin(), 1);
  const std::int64_t keys = shape[3];
  return {values, shape[0] == 1 ? 0 : shape[1] * shape[2] * keys, shape[2] == 1 ? 0 : keys,
          shape[1] == 1 ? 0 : shape[2] * keys};
}

void Attention::concat(const Extents& e, const core::Tensor& past, const HeadRows<const float>& fresh,
                       const std::int64_t* first, std::byte* cache) const {
  const Problem& p = e.problem;
  const std::size_t past_bytes = core::bytes_of(e.type, e.past * p.head_dim);
  const std::size_t plane_bytes = core::bytes_of(e.type, p.capacity * p.head_dim);
  if (past_bytes > 0)
    for (std::size_t i = 0; i < static_cast<std::size_t>(p.batch * p.kv_heads); ++i)
      std::memcpy(cache + i * plane_bytes, past.data + i * past_bytes, past_bytes);
  kernels::attention::kv_append({p.batch, p.kv_heads, p.capacity, p.head_dim, e.type}, cache, fresh, first, e.fresh);
}

void Attention::run(const RunContext& context) const {
  const auto faces = faces_of(context.inputs);
  const Extents e = check(faces);
  const Problem& p = e.problem;
  CallScratch call_scratch(context, form_, form_ == Form::per_call ? scratch_bytes(faces, context.threads) : 0);
  core::Scratch& scratch = call_scratch.get();
  const auto rows_of = [&](auto* data, std::int64_t rows, std::int64_t heads) {
    using T = std::remove_pointer_t<decltype(data)>;
    const std::int64_t d = p.head_dim;
    return e.heads_first ? HeadRows<T>{data, heads * rows * d, d, rows * d}
                         : HeadRows<T>{data, rows * heads * d, heads * d, d};
  };
  kernels::attention::Args args;
  args.query = rows_of(read_f32(context.inputs[kQ], scratch), p.rows, p.heads);
  const auto key = rows_of(read_f32(context.inputs[kK], scratch), e.fresh, p.kv_heads);
  const auto value = rows_of(read_f32(context.inputs[kV], scratch), e.fresh, p.kv_heads);
  const WriteF32 output(context.outputs[0], scratch);
  args.output = rows_of(output.data(), p.rows, p.heads);
  if (rules_.mask) args.bias = read_mask(context.inputs[kMask], scratch);
  auto* first = scratch.take<std::int64_t>(p.batch);
  auto* valid = scratch.take<std::int64_t>(p.batch);
  for (std::int64_t b = 0; b < p.batch; ++b) first[b] = e.past, valid[b] = p.capacity;
  std::byte* cache[2] = {};
  for (std::size_t side = 0; side < 2; ++side) {
    const auto bytes =
        static_cast<std::int64_t>(core::bytes_of(e.type, p.batch * p.kv_heads * p.capacity * p.head_dim));
    cache[side] = rules_.presents ? context.outputs[side + 1].data : scratch.take<std::byte>(bytes);
    concat(e, rules_.past ? context.inputs[kPastKey + side] : core::Tensor{}, side == 0 ? key : value, first,
           cache[side]);
  }
  args.keys = cache[0];
  args.values = cache[1];
  args.first = first;
  args.valid = valid;
  const std::size_t bytes = kernels::attention::workspace_bytes(p, context.threads);
  kernels::attention::attend(variant_, p, args, {scratch.take<std::byte>(static_cast<std::int64_t>(bytes)), bytes},
                             context.threads);
  output.store();
}

}  // namespace

std::unique_ptr<Op> make_attention_onnx(const onnx::Node& node, std::int64_t, const NodePlace& place,
                                        std::span<const ValueFacts>, const KernelChoice& choice) {
  Attributes attributes(node, place);
  Rules rules;
  rules.causal = attributes.integer("is_causal", 0) != 0;
  rules.heads = attributes.integer("q_num_heads", 0);
  rules.kv_heads = attributes.integer("kv_num_heads", 0);
  rules.scale = attributes.real("scale", 0.0f);
  rules.softcap = attributes.real("softcap", 0.0f);
  attributes.only("softmax_precision", 1);
  attributes.only("qk_matmul_output_mode", 0);
  attributes.finish();
  const auto there = [](const std::vector<std::string>& names, std::size_t i) {
    return names.size() > i && !names[i].empty();
  };
  for (const std::size_t i : {kQ, kK, kV})
    if (!there(node.inputs, i)) reject(place, "inputs Q, K and V", "present", "absent");
  rules.mask = there(node.inputs, kMask);
  rules.past = there(node.inputs, kPastKey);
  if (rules.past != there(node.inputs, kPastValue))
    reject(place, "inputs past_key and past_value", "both or neither", "one");
  if (there(node.inputs, kNonpad)) reject(place, "input nonpad_kv_seqlen", "absent", "present");
  if (node.inputs.size() > kInputs)
    reject(place, "inputs, at most", fmt::format("{}", std::size_t{kInputs}), fmt::format("{}", node.inputs.size()));
  rules.presents = there(node.outputs, 1);
  if (rules.presents != there(node.outputs, 2))
    reject(place, "outputs present_key and present_value", "both or neither", "one");
  if (there(node.outputs, 3)) reject(place, "output qk_matmul_output", "not bound", node.outputs[3]);
  return std::make_unique<Attention>(rules, place, choice);
}

}  // namespace gonogo::ops
