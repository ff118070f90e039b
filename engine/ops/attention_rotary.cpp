// RotaryEmbedding in its two dialects. Source: ONNX Runtime ContribOperators.md; onnx Operators.md, RotaryEmbedding-23.
#include "engine/ops/attention_rotary.hpp"

#include <fmt/format.h>

#include "engine/ops/attention_tables.hpp"
#include "engine/ops/attributes.hpp"
#include "engine/ops/float_io.hpp"

namespace gonogo::ops {
namespace {

struct Rules {
  std::size_t positions = 1, cos = 2, sin = 3;  // inputs; x is 0
  bool microsoft = true;
  bool has_positions = true;
  kernels::rope::Style style = kernels::rope::Style::half;
  std::int64_t heads = 0;       // 0: from the tables
  std::int64_t rotary_dim = 0;  // 0: the whole head
};

/// One call's extents; x is [batch, rows, heads * head_dim], or [batch, heads, rows, head_dim].
struct Extents {
  std::int64_t batch = 1, rows = 1, heads = 1, head_dim = 0, rotary_dim = 0, table_rows = 0;
  bool heads_first = false;
  [[nodiscard]] std::int64_t tokens() const { return batch * rows; }
};

struct Face {
  core::DType dtype = core::DType::f32;
  const core::Shape* shape = nullptr;
};

class RotaryEmbedding final : public Op {
 public:
  RotaryEmbedding(Rules rules, NodePlace place) : rules_(rules), place_(std::move(place)) {}

  std::vector<ValueFacts> infer(std::span<const ValueFacts> inputs) const override {
    (void)check(faces_of(inputs));
    return {{inputs[0].dtype, inputs[0].shape}};
  }

  std::size_t workspace_bytes(std::span<const ValueFacts> inputs, kernels::Threads) const override {
    const Extents e = check(faces_of(inputs));
    core::Scratch counter;
    (void)counter.take<std::int64_t>(e.tokens());
    count_tables(inputs[rules_.cos].dtype, e.tokens(), e.rotary_dim / 2, counter);
    return counter.used() + 2 * f32_scratch_bytes(inputs.first(1));  // x and y alike
  }

  void run(const RunContext& context) const override {
    const Extents e = check(faces_of(context.inputs));
    core::Scratch scratch(context.workspace);
    auto* positions = scratch.take<std::int64_t>(e.tokens());
    read_positions(context, e, positions);
    const core::Tensor& cos = context.inputs[rules_.cos];
    const core::Tensor& sin = context.inputs[rules_.sin];
    const RotaryTables tables =
        read_tables({cos.dtype, cos.data}, {sin.dtype, sin.data}, positions, e.tokens(), e.rotary_dim / 2, scratch);
    const float* x = read_f32(context.inputs[0], scratch);
    const WriteF32 y(context.outputs[0], scratch);
    const kernels::rope::Layout layout = e.heads_first ? kernels::rope::Layout{e.head_dim, e.rows * e.head_dim}
                                                       : kernels::rope::Layout{e.heads * e.head_dim, e.head_dim};
    const std::int64_t entry = e.rows * e.heads * e.head_dim;
    for (std::int64_t b = 0; b < e.batch; ++b)
      kernels::rope::rotate({.tokens = e.rows,
                             .heads = e.heads,
                             .head_dim = e.head_dim,
                             .rotary_dim = e.rotary_dim,
                             .style = rules_.style},
                            {.x = x + b * entry,
                             .x_layout = layout,
                             .cos = tables.cos,
                             .sin = tables.sin,
                             .positions = positions + b * e.rows,
                             .y = y.data() + b * entry,
                             .y_layout = layout},
                            context.threads);
    y.store();
  }

  core::Work work(std::span<const ValueFacts> inputs) const override {
    const Extents e = check(faces_of(inputs));
    const std::int64_t count = core::count_of(inputs[0].shape);
    return {.weight_bytes =
                2 * static_cast<std::int64_t>(core::bytes_of(inputs[rules_.cos].dtype, e.tokens() * e.rotary_dim / 2)),
            .activation_bytes = 2 * static_cast<std::int64_t>(core::bytes_of(inputs[0].dtype, count)),
            .flops = 3 * e.tokens() * e.heads * e.rotary_dim};
  }
  std::string kernel(std::span<const ValueFacts>) const override { return "rope"; }

 private:
  template <class T>
  static std::vector<Face> faces_of(std::span<const T> values) {
    std::vector<Face> faces;
    for (const T& value : values) faces.push_back({value.dtype, &value.shape});
    return faces;
  }
  static std::vector<Face> faces_of(std::span<const core::Tensor> values) { return faces_of<core::Tensor>(values); }
  [[nodiscard]] Extents check(const std::vector<Face>& inputs) const;
  void check_positions(const std::vector<Face>& inputs, const Extents& e) const;
  void read_positions(const RunContext& context, const Extents& e, std::int64_t* positions) const;

  Rules rules_;
  NodePlace place_;
};

Extents RotaryEmbedding::check(const std::vector<Face>& inputs) const {
  const core::Shape& x = *inputs[0].shape;
  const core::Shape& cos = *inputs[rules_.cos].shape;
  for (const std::size_t i : {std::size_t{0}, rules_.cos, rules_.sin})
    if (inputs[i].dtype != core::DType::f32 && inputs[i].dtype != core::DType::f16)
      reject(place_, fmt::format("type of input {}, one of", i), "float32, float16",
             std::string(core::name_of(inputs[i].dtype)));
  if (inputs[rules_.sin].dtype != inputs[rules_.cos].dtype || *inputs[rules_.sin].shape != cos)
    reject(place_, "type and shape of sin, those of cos", core::to_string(cos),
           core::to_string(*inputs[rules_.sin].shape));
  if (x.size() != 3 && x.size() != 4) reject(place_, "rank of x, one of", "3, 4", fmt::format("{}", x.size()));
  const std::size_t table_rank = rules_.has_positions ? 2 : 3;
  if (cos.size() != table_rank)
    reject(place_, "rank of cos", fmt::format("{}", table_rank), fmt::format("{}", cos.size()));

  Extents e{.batch = x[0], .heads_first = x.size() == 4};
  e.rows = e.heads_first ? x[2] : x[1];
  const std::int64_t table_width = 2 * cos.back();
  if (e.heads_first) {
    e.heads = x[1];
    e.head_dim = x[3];
    if (rules_.heads > 0 && rules_.heads != e.heads)
      reject(place_, "extent 1 of x, num_heads", fmt::format("{}", rules_.heads), fmt::format("{}", e.heads));
  } else {
    // Without num_heads the tables tell the head size (com.microsoft only).
    e.heads = rules_.heads > 0 ? rules_.heads : table_width > 0 ? x[2] / table_width : 0;
    if (e.heads < 1 || x[2] % e.heads != 0)
      reject(place_, "last extent of x, a multiple of the heads", fmt::format("{}", e.heads), fmt::format("{}", x[2]));
    e.head_dim = x[2] / e.heads;
  }
  e.rotary_dim = rules_.rotary_dim > 0 ? rules_.rotary_dim : e.head_dim;
  if (e.rotary_dim > e.head_dim || e.rotary_dim % 2 != 0)
    reject(place_, "rotary width, even and at most the head size", fmt::format("{}", e.head_dim),
           fmt::format("{}", e.rotary_dim));
  if (table_width != e.rotary_dim)
    reject(place_, "width of cos, half the rotary width", fmt::format("{}", e.rotary_dim / 2),
           fmt::format("{}", cos.back()));
  e.table_rows = core::count_of(cos) / std::max<std::int64_t>(1, cos.back());
  check_positions(inputs, e);
  return e;
}

void RotaryEmbedding::check_positions(const std::vector<Face>& inputs, const Extents& e) const {
  if (!rules_.has_positions) {
    const core::Shape& cos = *inputs[rules_.cos].shape;
    if (cos[0] != e.batch || cos[1] != e.rows)
      reject(place_, "shape of cos without position_ids",
             fmt::format("[{}, {}, {}]", e.batch, e.rows, e.rotary_dim / 2), core::to_string(cos));
    return;
  }
  const Face& ids = inputs[rules_.positions];
  if (ids.dtype != core::DType::i64)
    reject(place_, "type of position_ids", "int64", std::string(core::name_of(ids.dtype)));
  const bool offset = rules_.microsoft && *ids.shape == core::Shape{1};
  if (!offset && *ids.shape != core::Shape{e.batch, e.rows})
    reject(place_, "shape of position_ids", core::to_string({e.batch, e.rows}), core::to_string(*ids.shape));
}

void RotaryEmbedding::read_positions(const RunContext& context, const Extents& e, std::int64_t* positions) const {
  for (std::int64_t token = 0; token < e.tokens(); ++token) {
    std::int64_t position = token;
    if (rules_.has_positions) {
      const core::Tensor& ids = context.inputs[rules_.positions];
      position = ids.shape.size() == 1 ? ids.as<std::int64_t>()[0] + token % e.rows : ids.as<std::int64_t>()[token];
    }
    if (position < 0 || position >= e.table_rows)
      reject(place_, "position, from 0 to below the rows of cos", fmt::format("{}", e.table_rows),
             fmt::format("{}", position));
    positions[token] = position;
  }
}

std::unique_ptr<Op> make(Rules rules, const onnx::Node& node, const NodePlace& place, Attributes& attributes) {
  if (attributes.integer("interleaved", 0) != 0) rules.style = kernels::rope::Style::interleaved;
  rules.heads = attributes.integer("num_heads", 0);
  rules.rotary_dim = attributes.integer("rotary_embedding_dim", 0);
  attributes.finish();
  const auto there = [&](std::size_t i) { return node.inputs.size() > i && !node.inputs[i].empty(); };
  for (const std::size_t i : {std::size_t{0}, rules.cos, rules.sin})
    if (!there(i)) reject(place, fmt::format("input {}", i), "present", "absent");
  rules.has_positions = there(rules.positions);
  if (rules.microsoft && !rules.has_positions) reject(place, "input position_ids", "present", "absent");
  if (node.inputs.size() > 4) reject(place, "inputs, at most", "4", fmt::format("{}", node.inputs.size()));
  return std::make_unique<RotaryEmbedding>(rules, place);
}

}  // namespace

std::unique_ptr<Op> make_rotary_microsoft(const onnx::Node& node, std::int64_t, const NodePlace& place,
                                          std::span<const ValueFacts>, const KernelChoice&) {
  Attributes attributes(node, place);
  attributes.only("is_packed_batching", 0);
  if (const float scale = attributes.real("scale", 1.0f); scale != 1.0f)
    reject(place, "attribute scale", "1", fmt::format("{}", scale));
  const Rules rules;
  if (attributes.integer("rotary_embedding_dim", 0) > 0 && attributes.integer("num_heads", 0) <= 0)
    reject(place, "num_heads with rotary_embedding_dim, at least", "1",
           fmt::format("{}", attributes.integer("num_heads", 0)));
  return make(rules, node, place, attributes);
}

std::unique_ptr<Op> make_rotary_onnx(const onnx::Node& node, std::int64_t, const NodePlace& place,
                                     std::span<const ValueFacts> inputs, const KernelChoice&) {
  Attributes attributes(node, place);
  if (!inputs.empty() && inputs[0].shape.size() == 3 && attributes.integer("num_heads", 0) <= 0)
    reject(place, "num_heads with x of rank 3, at least", "1", fmt::format("{}", attributes.integer("num_heads", 0)));
  return make({.positions = 3, .cos = 1, .sin = 2, .microsoft = false}, node, place, attributes);
}

}  // namespace gonogo::ops
