// GroupQueryAttention: rotation and append in one kernel, then attention over the cache. `before`: for several rows the
// workspace is allocated per call. RotaryEmbedding by itself.
#include <fmt/format.h>

#include <utility>

#include "engine/cuda/lower.hpp"
#include "engine/ops/attention_gqa.hpp"
#include "harness/core/cuda/memory.hpp"
#include "kernels/attention/cuda/attention.hpp"
#include "kernels/rope/cuda/rope_append.hpp"
#include "kernels/rope/cuda/rotate.hpp"

namespace gonogo::engine::cuda {
namespace {

namespace attention = kernels::attention::cuda;
namespace rope = kernels::rope::cuda;
namespace gqa = ops::gqa;

/// Rows up to which the keys' range is split over blocks; a prompt has rows enough to fill the chip.
constexpr std::int64_t kMostSplitRows = 32;

struct Extents {
  attention::Problem attention;
  rope::Problem rope;
  bool packed = false;
};

class AttentionOp final : public DeviceOp {
 public:
  AttentionOp(const Extents& extents, bool transient, kernels::Overlap overlap)
      : extents_(extents), transient_(transient), overlap_(overlap), split_(extents.attention.rows <= kMostSplitRows) {
    if (transient_ && extents.attention.rows > 1) split_ = false;
  }

  std::string kernel() const override {
    return fmt::format("gqa.{}{}", split_ ? "split" : "tiled", transient_ ? ".transient" : "");
  }
  core::Eligibility capture() const override {
    if (transient_) return core::refuse("workspace", "from the plan", "allocated per call");
    return core::accept();
  }
  std::size_t workspace_bytes() const override { return transient_ ? 0 : needed_bytes(); }

  void run(const DeviceCall& call, core::StreamRef stream) override {
    if (!transient_) return run_in(call, call.workspace, stream);
    const core::DeviceBuffer workspace(needed_bytes(), stream);
    run_in(call, workspace.data(), stream);
  }

 private:
  [[nodiscard]] std::size_t rotated_bytes() const {
    const attention::Problem& p = extents_.attention;
    const std::size_t bytes = core::bytes_of(p.type, p.rows * p.heads * p.head_dim);
    return (bytes + 255) / 256 * 256;
  }
  [[nodiscard]] std::size_t needed_bytes() const {
    return rotated_bytes() + (split_ ? attention::split_workspace_bytes(extents_.attention) : 0);
  }

  void run_in(const DeviceCall& call, std::byte* workspace, core::StreamRef stream) const {
    const auto data = [&](gqa::Input i) { return i < call.inputs.size() ? call.inputs[i].data : nullptr; };
    const auto* last_valid = reinterpret_cast<const std::int32_t*>(data(gqa::kSeqlens));
    const rope::Problem& r = extents_.rope;
    rope::Args append;
    if (extents_.packed) {
      rope::set_packed_qkv(r, data(gqa::kQuery), append);
    } else {
      append.query = data(gqa::kQuery);
      append.key = data(gqa::kKey);
      append.value = data(gqa::kValue);
      append.query_stride = r.heads * r.head_dim;
      append.key_stride = append.value_stride = r.kv_heads * r.head_dim;
    }
    append.cos = data(gqa::kCos);
    append.sin = data(gqa::kSin);
    append.last_valid = last_valid;
    append.positions = reinterpret_cast<const std::int64_t*>(data(gqa::kPositions));
    append.rotated = workspace;
    append.key_cache = call.outputs[1].data;
    append.value_cache = call.outputs[2].data;
    append.overlap = overlap_;
    rope::rope_append(r, append, stream);

    attention::Args args;
    args.query = workspace;
    args.key_cache = call.outputs[1].data;
    args.value_cache = call.outputs[2].data;
    args.last_valid = last_valid;
    args.sink = data(gqa::kSink);
    args.y = call.outputs[0].data;
    args.overlap = overlap_;
    args.workspace = workspace + rotated_bytes();
    if (split_) return attention::split(extents_.attention, args, stream);
    attention::tiled(extents_.attention, args, stream);
  }

  Extents extents_;
  bool transient_;
  kernels::Overlap overlap_;
  bool split_;
};

class RotaryOp final : public DeviceOp {
 public:
  RotaryOp(const rope::RotateProblem& problem, std::size_t positions, std::size_t tables)
      : problem_(problem), positions_(positions), tables_(tables) {}
  std::string kernel() const override { return "rope"; }
  void run(const DeviceCall& call, core::StreamRef stream) override {
    rope::rotate(problem_,
                 {.x = call.inputs[0].data,
                  .x_token_stride = problem_.heads * problem_.head_dim,
                  .x_head_stride = problem_.head_dim,
                  .cos = call.inputs[tables_].data,
                  .sin = call.inputs[tables_ + 1].data,
                  .positions = call.inputs[positions_].as<const std::int64_t>(),
                  .y = call.outputs[0].data,
                  .y_token_stride = problem_.heads * problem_.head_dim,
                  .y_head_stride = problem_.head_dim},
                 stream);
  }

 private:
  rope::RotateProblem problem_;
  std::size_t positions_, tables_;
};

Extents extents_of(const LowerRequest& r) {
  const auto shape_of = [&](std::size_t i) { return r.input(i).shape; };
  Extents e;
  attention::Problem& a = e.attention;
  a.heads = r.integer("num_heads", 0);
  a.kv_heads = r.integer("kv_num_heads", 0);
  e.packed = !r.has(gqa::kKey);
  a.rows = shape_of(gqa::kQuery)[1];
  a.head_dim = shape_of(gqa::kQuery)[2] / (e.packed ? a.heads + 2 * a.kv_heads : a.heads);
  a.capacity = r.outputs[1].shape[2];
  a.scale = r.real("scale", 0.0f);
  a.softcap = r.real("softcap", 0.0f);
  a.window = r.integer("local_window_size", -1);
  a.smooth_softmax = r.integer("smooth_softmax", 0) > 0;
  a.head_sink = r.has(gqa::kSink);
  a.causal = r.integer("causal", 1) != 0;
  a.type = r.input(gqa::kQuery).dtype;
  const bool rotary = r.integer("do_rotary", 0) != 0;
  e.rope = {.rows = a.rows,
            .heads = a.heads,
            .kv_heads = a.kv_heads,
            .head_dim = a.head_dim,
            .rotary_dim = rotary ? 2 * shape_of(gqa::kCos)[1] : 0,
            .interleaved = r.integer("rotary_interleaved", 0) != 0,
            .capacity = a.capacity,
            .table_rows = rotary ? shape_of(gqa::kCos)[0] : 0,
            .type = a.type};
  return e;
}

}  // namespace

DeviceOpPtr lower_attention(const LowerRequest& r) {
  const core::DType type = r.input(gqa::kQuery).dtype;
  if (r.has(gqa::kBias)) r.refuse({"input attention_bias", "absent", "present"});
  if (!r.has(gqa::kPastKey)) r.refuse({"input past_key", "present", "absent"});
  for (const std::size_t i : {gqa::kPastKey, gqa::kCos, gqa::kSink})
    if (r.has(i) && r.input(i).dtype != type)
      r.refuse({fmt::format("type of input {}, that of query", i), std::string(core::name_of(type)),
                std::string(core::name_of(r.input(i).dtype))});
  const Extents extents = extents_of(r);
  r.want(rope::eligible(extents.rope));
  r.want(attention::eligible(extents.attention));
  return std::make_unique<AttentionOp>(extents, !r.stack.has("attention") && extents.attention.rows > 1, r.overlap());
}

DeviceOpPtr lower_rotary(const LowerRequest& r) {
  const std::size_t positions = r.node.domain.empty() ? 3 : 1;
  const std::size_t tables = r.node.domain.empty() ? 1 : 2;
  const core::Shape& x = r.input(0).shape;
  if (x.size() != 3) r.refuse({"rank of x", "3", fmt::format("{}", x.size())});
  if (!r.has(positions) || r.input(positions).shape != core::Shape{1, x[1]})
    r.refuse({"position_ids", "one a row", core::to_string(r.input(positions).shape)});
  rope::RotateProblem p;
  p.tokens = x[1];
  p.rotary_dim = 2 * r.input(tables).shape[1];
  const std::int64_t heads = r.integer("num_heads", 0);
  p.heads = heads > 0 ? heads : x[2] / p.rotary_dim;
  p.head_dim = x[2] / p.heads;
  p.interleaved = r.integer("interleaved", 0) != 0;
  p.table_rows = r.input(tables).shape[0];
  p.type = r.input(0).dtype;
  if (r.input(tables).dtype != p.type)
    r.refuse({"type of cos", std::string(core::name_of(p.type)), std::string(core::name_of(r.input(tables).dtype))});
  r.want(rope::eligible(p));
  return std::make_unique<RotaryOp>(p, positions, tables);
}

}  // namespace gonogo::engine::cuda
