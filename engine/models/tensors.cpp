#include "engine/models/tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gonogo::models {
namespace {

constexpr std::int64_t kMapFrom = std::int64_t{1} << 20;
constexpr std::int64_t kMapAlignment = 64 * 1024;
constexpr std::int64_t kAlignment = 64;
/// Standard deviation of a uniform int4 code.
constexpr double kCodeDeviation = 4.609772228646444;  // sqrt((16 * 16 - 1) / 12)

/// Standard deviations of a product x * W^T for x of unit variance: attention picks keys (scores of deviation about 2),
/// and logits have a deviation of about 2, so they vary and none dominates.
constexpr double kQkvGain = 1.5, kMlpGain = 1.0, kHeadGain = 2.0;
/// Deviation of what o_proj and down_proj read, measured: picked values average out a little, SiLU(gate) * up is 0.6.
constexpr double kAttended = 1.0, kGated = 0.6;
/// Of the variance a layer adds. What attention brings is alike for neighbouring tokens: more of it, and all say the
/// same.
constexpr double kAttentionShare = 0.25;

double embedding_deviation(const ModelSpec& s) {
  return s.embedding == Embedding::shared ? kHeadGain / std::sqrt(double(s.hidden)) : 1.0;
}

/// The deviation that both branches of a layer add to the residual. It grows by the same factor in every layer, from
/// the embedding's to `kFinal`: float16 neither overflows nor drowns a branch at any depth, the token is not forgotten,
/// and (as a shared embedding's final residual outgrows it) no token predicts itself.
double branch_deviation(const ModelSpec& s, std::int64_t layer) {
  constexpr double kFinal = 2.0;
  const double first = embedding_deviation(s);
  const double growth = std::pow(kFinal / first, 1.0 / double(s.layers));
  return first * std::pow(growth, double(layer)) * std::sqrt(growth * growth - 1.0);
}

class Collector {
 public:
  explicit Collector(const ModelSpec& spec) : spec_(spec) {}

  void gaussian(std::string name, core::Shape dims, double mean, double spread) {
    add({.name = std::move(name), .dtype = spec_.io, .dims = std::move(dims), .mean = mean, .spread = spread});
  }

  void rotary_tables() {
    const core::Shape dims{spec_.context, spec_.rotary_dim / 2};
    add({.name = "cos_cache", .dtype = spec_.io, .dims = dims, .fill = Fill::cosine});
    add({.name = "sin_cache", .dtype = spec_.io, .dims = dims, .fill = Fill::sine});
  }

  /// An int4 weight of N rows and K columns whose product with a unit-variance vector has deviation `gain`.
  void projection(const std::string& path, std::int64_t n, std::int64_t k, double gain) {
    const std::int64_t blocks = (k + spec_.block_size - 1) / spec_.block_size;
    const double scale = gain / std::sqrt(double(k)) / kCodeDeviation;
    add({.name = codes_name(path),
         .dtype = core::DType::u8,
         .dims = {n, blocks, spec_.block_size / 2},
         .fill = Fill::codes,
         .row = k});
    add({.name = scales_name(path), .dtype = spec_.io, .dims = {n, blocks}, .fill = Fill::scales, .spread = scale});
    if (!spec_.symmetric)
      add({.name = zero_points_name(path),
           .dtype = core::DType::u8,
           .dims = {n, (blocks + 1) / 2},
           .fill = Fill::zero_points,
           .row = blocks});
  }

  std::vector<TensorSpec> take() { return std::move(tensors_); }

 private:
  void add(TensorSpec tensor) {
    tensor.bytes = static_cast<std::int64_t>(core::bytes_of(tensor.dtype, core::count_of(tensor.dims)));
    tensors_.push_back(std::move(tensor));
  }
  const ModelSpec& spec_;
  std::vector<TensorSpec> tensors_;
};

/// What the exporter makes first: everything that is not quantised, in order of first use.
void collect_floats(const ModelSpec& s, Collector& out) {
  if (s.embedding == Embedding::table) out.gaussian("model.embed_tokens.weight", {s.vocab, s.hidden}, 0.0, 1.0);
  for (std::int64_t i = 0; i < s.layers; ++i) {
    const std::string layer = fmt::format("model.layers.{}", i);
    out.gaussian(layer + ".input_layernorm.weight", {s.hidden}, 1.0, 0.1);
    if (s.qkv_bias) out.gaussian(layer + ".attn.qkv_proj.Add.bias", {s.qkv_rows()}, 0.0, 0.25);
    if (i == 0) out.rotary_tables();
    out.gaussian(layer + ".post_attention_layernorm.weight", {s.hidden}, 1.0, 0.1);
  }
  out.gaussian(fmt::format("model.layers.{}.final_norm_layernorm.weight", s.layers), {s.hidden}, 1.0, 0.1);
  if (s.head == Head::dense)
    out.gaussian("lm_head.MatMul.weight", {s.hidden, s.vocab}, 0.0, kHeadGain / std::sqrt(double(s.hidden)));
}

/// What the quantiser appends, in node order.
void collect_projections(const ModelSpec& s, Collector& out) {
  for (std::int64_t i = 0; i < s.layers; ++i) {
    const std::string layer = fmt::format("model.layers.{}", i);
    const double branch = branch_deviation(s, i);
    out.projection(layer + ".attn.qkv_proj", s.qkv_rows(), s.hidden, kQkvGain);
    out.projection(layer + ".attn.o_proj", s.hidden, s.attention_width(),
                   branch * std::sqrt(kAttentionShare) / kAttended);
    out.projection(layer + ".mlp.gate_proj", s.ffn, s.hidden, kMlpGain);
    out.projection(layer + ".mlp.up_proj", s.ffn, s.hidden, kMlpGain);
    out.projection(layer + ".mlp.down_proj", s.hidden, s.ffn, branch * std::sqrt(1.0 - kAttentionShare) / kGated);
  }
  if (s.head == Head::int4) out.projection("lm_head", s.vocab, s.hidden, kHeadGain);
}

}  // namespace

std::string codes_name(const std::string& path) { return path + ".MatMul.weight_Q4"; }
std::string scales_name(const std::string& path) { return path + ".MatMul.weight_scales"; }
std::string zero_points_name(const std::string& path) { return path + ".MatMul.weight_zero_points"; }

TensorLayout lay_out(const ModelSpec& spec) {
  Collector collector(spec);
  collect_floats(spec, collector);
  collect_projections(spec, collector);
  TensorLayout layout{collector.take(), 0};

  std::vector<std::size_t> by_size(layout.tensors.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](std::size_t a, std::size_t b) { return layout.tensors[a].bytes < layout.tensors[b].bytes; });
  for (const std::size_t index : by_size) {
    TensorSpec& tensor = layout.tensors[index];
    const std::int64_t alignment = tensor.bytes >= kMapFrom ? kMapAlignment : kAlignment;
    tensor.offset = (layout.data_bytes + alignment - 1) / alignment * alignment;
    layout.data_bytes = tensor.offset + tensor.bytes;
  }
  return layout;
}

}  // namespace gonogo::models
