#include "engine/models/graph_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <onnx/onnx_pb.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/core/error.hpp"

namespace gonogo::models {
namespace {

constexpr const char* kMicrosoft = "com.microsoft";
constexpr const char* kMask = "/model/attn_mask_reformat/attn_mask_subgraph";

/// A dimension: a number, or a symbol.
struct Dim {
  Dim(std::int64_t number) : value(number) {}  // NOLINT: written as either
  Dim(const char* name) : symbol(name) {}      // NOLINT
  std::int64_t value = 0;
  std::string symbol;
};
using Dims = std::vector<Dim>;

void describe_value(::onnx::ValueInfoProto& info, const std::string& name, int elem_type, const Dims& dims) {
  info.set_name(name);
  auto& type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(elem_type);
  for (const Dim& dim : dims) {
    auto& to = *type.mutable_shape()->add_dim();
    if (dim.symbol.empty())
      to.set_dim_value(dim.value);
    else
      to.set_dim_param(dim.symbol);
  }
  type.mutable_shape();  // a scalar has a shape without dimensions
}

class GraphWriter {
 public:
  GraphWriter(const ModelSpec& spec, ::onnx::GraphProto& graph)
      : spec_(spec), graph_(graph), io_(static_cast<int>(spec.io)) {}

  void write(const TensorLayout& layout) {
    graph_.set_name("main_graph");
    write_interface();
    write_initializers(layout);
    write_mask();
    std::string residual = write_embedding();
    std::string normed = write_first_norm(residual);
    for (std::int64_t i = 0; i < spec_.layers; ++i) {
      const std::string layer = fmt::format("/model/layers.{}", i);
      const std::string attended = write_attention(layer, i, normed);
      std::tie(normed, residual) = write_norm(layer + "/post_attention_layernorm", residual, attended);
      const std::string fed = write_mlp(layer, normed);
      const bool last = i + 1 == spec_.layers;
      const std::string next =
          fmt::format("/model/layers.{}/{}", i + 1, last ? "final_norm_layernorm" : "input_layernorm");
      std::tie(normed, residual) = write_norm(next, residual, fed, last);
    }
    write_head(normed);
  }

 private:
  using Names = std::initializer_list<std::string>;

  ::onnx::NodeProto& node(const std::string& name, const char* op, const char* domain, Names inputs) {
    auto& to = *graph_.add_node();
    to.set_name(name);
    to.set_op_type(op);
    if (*domain != '\0') to.set_domain(domain);
    for (const std::string& input : inputs) to.add_input(input);
    return to;
  }
  static void attribute(::onnx::NodeProto& to, const char* name, std::int64_t value) {
    auto& attribute = *to.add_attribute();
    attribute.set_name(name);
    attribute.set_type(::onnx::AttributeProto::INT);
    attribute.set_i(value);
  }
  static void attribute(::onnx::NodeProto& to, const char* name, float value) {
    auto& attribute = *to.add_attribute();
    attribute.set_name(name);
    attribute.set_type(::onnx::AttributeProto::FLOAT);
    attribute.set_f(value);
  }
  void value_info(const std::string& name, int elem_type, const Dims& dims) {
    describe_value(*graph_.add_value_info(), name, elem_type, dims);
  }
  std::string output(::onnx::NodeProto& from, const std::string& name, int elem_type, const Dims& dims) {
    from.add_output(name);
    value_info(name, elem_type, dims);
    return name;
  }
  /// An activation [batch, sequence, width] in the io type.
  std::string activation(::onnx::NodeProto& from, const std::string& name, std::int64_t width) {
    return output(from, name, io_, {"batch_size", "sequence_length", width});
  }

  void write_interface() {
    describe_value(*graph_.add_input(), "input_ids", ::onnx::TensorProto::INT64, {"batch_size", "sequence_length"});
    describe_value(*graph_.add_input(), "attention_mask", ::onnx::TensorProto::INT64,
                   {"batch_size", "total_sequence_length"});
    describe_value(*graph_.add_output(), "logits", io_, {"batch_size", "sequence_length", spec_.vocab});
    for (const char* part : {"key", "value"})
      for (std::int64_t i = 0; i < spec_.layers; ++i) {
        // The head's size stays a symbol, as in the builder's files: it is the attention node that knows it.
        describe_value(*graph_.add_input(), fmt::format("past_key_values.{}.{}", i, part), io_,
                       {"batch_size", spec_.kv_heads, "past_sequence_length", "kv_cache_dim"});
        describe_value(*graph_.add_output(), fmt::format("present.{}.{}", i, part), io_,
                       {"batch_size", spec_.kv_heads, "total_sequence_length", "kv_cache_dim"});
      }
  }

  void write_initializers(const TensorLayout& layout) {
    for (const TensorSpec& tensor : layout.tensors) {
      auto& to = *graph_.add_initializer();
      to.set_name(tensor.name);
      to.set_data_type(static_cast<int>(tensor.dtype));
      Dims dims;
      for (const std::int64_t extent : tensor.dims) {
        to.add_dims(extent);
        dims.emplace_back(extent);
      }
      to.set_data_location(::onnx::TensorProto::EXTERNAL);
      const std::pair<const char*, std::string> entries[] = {
          {"location", kDataFile}, {"offset", fmt::to_string(tensor.offset)}, {"length", fmt::to_string(tensor.bytes)}};
      for (const auto& [key, value] : entries) {
        auto& entry = *to.add_external_data();
        entry.set_key(key);
        entry.set_value(value);
      }
      value_info(tensor.name, static_cast<int>(tensor.dtype), dims);
    }
  }

  /// A Constant node of int64 values, a list or (rank 0) a single number. Named by its text, written once.
  std::string constant(std::span<const std::int64_t> values, bool scalar) {
    const std::string text = scalar ? fmt::format("{}", values[0]) : fmt::format("[{}]", fmt::join(values, ", "));
    const std::string name = "/model/constants/INT64/" + text;
    auto& from = node("/model/constant_nodes/INT64/" + text, "Constant", "", {});
    auto& value = *from.add_attribute();
    value.set_name("value");
    value.set_type(::onnx::AttributeProto::TENSOR);
    auto& tensor = *value.mutable_t();
    tensor.set_name(name);
    tensor.set_data_type(::onnx::TensorProto::INT64);
    if (!scalar) tensor.add_dims(static_cast<std::int64_t>(values.size()));
    tensor.set_raw_data(values.data(), values.size_bytes());
    return output(from, name, ::onnx::TensorProto::INT64, {});  // the builder declares rank 0 for lists too
  }

  /// attention_mask -> seqlens_k (valid tokens minus one) and the total length.
  void write_mask() {
    const std::string mask = kMask;
    constexpr int i64 = ::onnx::TensorProto::INT64, i32 = ::onnx::TensorProto::INT32;
    const std::int64_t one[] = {1};
    const std::string ones = constant(one, false);
    auto& sum = node(mask + "/ReduceSum", "ReduceSum", "", {"attention_mask", ones});
    attribute(sum, "keepdims", std::int64_t{0});
    const std::string summed = output(sum, mask + "/ReduceSum/output_0", i64, {"batch_size"});
    auto& sub = node(mask + "/Sub", "Sub", "", {summed, ones});
    const std::string less = output(sub, mask + "/Sub/output_0", i64, {"batch_size"});
    auto& cast = node(mask + "/Sub/Cast", "Cast", "", {less});
    attribute(cast, "to", std::int64_t{i32});
    seqlens_ = output(cast, mask + "/Sub/Cast/output_0", i32, {"batch_size"});
    auto& shape = node(mask + "/Shape", "Shape", "", {"attention_mask"});
    const std::string extents = output(shape, mask + "/Shape/output_0", i64, {2});
    const std::string second = constant(one, true);
    auto& gather = node(mask + "/Gather", "Gather", "", {extents, second});
    attribute(gather, "axis", std::int64_t{0});
    const std::string total = output(gather, mask + "/Gather/output_0", i64, {});
    auto& total_cast = node(mask + "/Gather/Cast", "Cast", "", {total});
    attribute(total_cast, "to", std::int64_t{i32});
    total_ = output(total_cast, mask + "/Gather/Cast/output_0", i32, {});
    // The builder states no rank here.
    graph_.mutable_value_info()->rbegin()->mutable_type()->mutable_tensor_type()->clear_shape();
  }

  std::string write_embedding() {
    if (spec_.embedding == Embedding::table) {
      auto& gather = node("/model/embed_tokens/Gather", "Gather", "", {"model.embed_tokens.weight", "input_ids"});
      return activation(gather, "/model/embed_tokens/Gather/output_0", spec_.hidden);
    }
    const std::int64_t packed[] = {spec_.vocab, spec_.hidden / 2};
    const std::string shape = constant(packed, false);
    auto& reshape = node("/model/embed_tokens/Reshape", "Reshape", "", {codes_name("lm_head"), shape});
    const std::string rows =
        output(reshape, "/model/embed_tokens/Reshape/output_0", ::onnx::TensorProto::UINT8, {packed[0], packed[1]});
    auto& gather = node("/model/embed_tokens/GatherBlockQuantized", "GatherBlockQuantized", kMicrosoft,
                        {rows, "input_ids", scales_name("lm_head")});
    if (!spec_.symmetric) gather.add_input(zero_points_name("lm_head"));
    attribute(gather, "bits", std::int64_t{4});
    attribute(gather, "block_size", spec_.block_size);
    attribute(gather, "gather_axis", std::int64_t{0});
    attribute(gather, "quantize_axis", std::int64_t{1});
    return activation(gather, "/model/embed_tokens/GatherBlockQuantized/output_0", spec_.hidden);
  }

  std::string write_first_norm(const std::string& input) {
    auto& norm = node("/model/layers.0/input_layernorm/LayerNorm", "SimplifiedLayerNormalization", "",
                      {input, "model.layers.0.input_layernorm.weight"});
    attribute(norm, "epsilon", spec_.eps);
    attribute(norm, "axis", std::int64_t{-1});
    attribute(norm, "stash_type", std::int64_t{1});
    return activation(norm, "/model/layers.0/input_layernorm/output_0", spec_.hidden);
  }

  /// (normed, residual + branch); the last norm has no second output.
  std::pair<std::string, std::string> write_norm(const std::string& path, const std::string& residual,
                                                 const std::string& branch, bool last = false) {
    auto& norm = node(path + "/SkipLayerNorm", "SkipSimplifiedLayerNormalization", kMicrosoft,
                      {residual, branch, dotted(path) + ".weight"});
    attribute(norm, "epsilon", spec_.eps);
    const std::string normed = activation(norm, path + "/output_0", spec_.hidden);
    if (last) return {normed, ""};
    norm.add_output("");
    norm.add_output("");
    return {normed, activation(norm, path + "/output_3", spec_.hidden)};
  }

  struct Extents {
    std::int64_t n = 0, k = 0;
  };
  /// MatMulNBits at `path`, e.g. "/model/layers.0/mlp/up_proj".
  ::onnx::NodeProto& projection(const std::string& path, const std::string& input, Extents extents) {
    const std::string weight = dotted(path);
    auto& matmul =
        node(path + "/MatMul_Q4", "MatMulNBits", kMicrosoft, {input, codes_name(weight), scales_name(weight)});
    if (!spec_.symmetric) matmul.add_input(zero_points_name(weight));
    attribute(matmul, "K", extents.k);
    attribute(matmul, "N", extents.n);
    if (spec_.accuracy_level) attribute(matmul, "accuracy_level", *spec_.accuracy_level);
    attribute(matmul, "bits", std::int64_t{4});
    attribute(matmul, "block_size", spec_.block_size);
    return matmul;
  }
  std::string project(const std::string& path, const std::string& input, Extents extents) {
    return activation(projection(path, input, extents), path + "/MatMul/output_0", extents.n);
  }

  std::string write_attention(const std::string& layer, std::int64_t index, const std::string& input) {
    const std::string qkv_path = layer + "/attn/qkv_proj";
    std::string qkv = project(qkv_path, input, {spec_.qkv_rows(), spec_.hidden});
    if (spec_.qkv_bias) {
      auto& add = node(qkv_path + "/Add", "Add", "", {qkv, dotted(qkv_path) + ".Add.bias"});
      qkv = activation(add, qkv_path + "/Add/output_0", spec_.qkv_rows());
    }
    const std::string path = layer + "/attn/GroupQueryAttention";
    auto& attention =
        node(path, "GroupQueryAttention", kMicrosoft,
             {qkv, "", "", fmt::format("past_key_values.{}.key", index), fmt::format("past_key_values.{}.value", index),
              seqlens_, total_, "cos_cache", "sin_cache", "", "", ""});
    attribute(attention, "num_heads", spec_.heads);
    attribute(attention, "kv_num_heads", spec_.kv_heads);
    attribute(attention, "scale", static_cast<float>(1.0 / std::sqrt(double(spec_.head_dim))));
    // A qwen2 config says "no window" with a null, which the builder leaves out; other configs have no such field.
    if (spec_.family != Family::qwen2) attribute(attention, "local_window_size", std::int64_t{-1});
    attribute(attention, "softcap", 0.0f);
    attribute(attention, "do_rotary", std::int64_t{1});
    attribute(attention, "rotary_interleaved", std::int64_t{spec_.rotary_interleaved});
    const std::string attended = activation(attention, path + "/output_0", spec_.attention_width());
    attention.add_output(fmt::format("present.{}.key", index));
    attention.add_output(fmt::format("present.{}.value", index));
    return project(layer + "/attn/o_proj", attended, {spec_.hidden, spec_.attention_width()});
  }

  std::string write_mlp(const std::string& layer, const std::string& input) {
    const std::string mlp = layer + "/mlp";
    const std::string gate = project(mlp + "/gate_proj", input, {spec_.ffn, spec_.hidden});
    const std::string up = project(mlp + "/up_proj", input, {spec_.ffn, spec_.hidden});
    const std::string sigmoid =
        activation(node(mlp + "/act_fn/Sigmoid", "Sigmoid", "", {gate}), mlp + "/act_fn/Sigmoid/output_0", spec_.ffn);
    const std::string silu =
        activation(node(mlp + "/act_fn/Mul", "Mul", "", {gate, sigmoid}), mlp + "/act_fn/Mul/output_0", spec_.ffn);
    const std::string product = activation(node(mlp + "/Mul", "Mul", "", {silu, up}), mlp + "/Mul/output_0", spec_.ffn);
    return project(mlp + "/down_proj", product, {spec_.hidden, spec_.ffn});
  }

  void write_head(const std::string& input) {
    if (spec_.head == Head::int4)
      projection("/lm_head", input, {spec_.vocab, spec_.hidden}).add_output("logits");
    else
      node("/lm_head/MatMul", "MatMul", "", {input, "lm_head.MatMul.weight"}).add_output("logits");
  }

  /// "/model/layers.0/mlp/up_proj" -> "model.layers.0.mlp.up_proj"
  static std::string dotted(std::string path) {
    for (char& c : path)
      if (c == '/') c = '.';
    return path.substr(1);
  }

  const ModelSpec& spec_;
  ::onnx::GraphProto& graph_;
  int io_;
  std::string seqlens_, total_;
};

}  // namespace

std::string serialize_graph(const ModelSpec& spec, const TensorLayout& layout) {
  ::onnx::ModelProto model;
  model.set_ir_version(10);
  model.set_producer_name("onnxruntime-genai");
  const std::pair<const char*, std::int64_t> opsets[] = {{"", 21}, {kMicrosoft, 1}};
  for (const auto& [domain, version] : opsets) {
    auto& to = *model.add_opset_import();
    to.set_domain(domain);
    to.set_version(version);
  }
  GraphWriter(spec, *model.mutable_graph()).write(layout);
  std::string bytes;
  GONOGO_EXPECT(model.SerializeToString(&bytes), "a graph of " + std::to_string(spec.layers) + " layers");
  return bytes;
}

}  // namespace gonogo::models
