// The shape of a decoder model in the onnxruntime-genai builder's form: all that decides graph and tensor sizes.
// Source: docs/onnx-operators.md, "Graphs of the builder"; shapes from the models' public configurations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/core/dtype.hpp"
#include "harness/core/eligibility.hpp"

namespace gonogo::models {

/// What the builder calls the model in genai_config.json; the graph follows the other fields.
enum class Family { glm, qwen2, llama };
[[nodiscard]] std::string_view name_of(Family family);  // "chatglm", "qwen2", "llama"

/// The output projection: int4 MatMulNBits, or MatMul over a table in the io type.
enum class Head { int4, dense };
[[nodiscard]] std::string_view name_of(Head head);

/// Rows looked up for ids: a table of its own in the io type, or the int4 head's rows (tied, the builder's
/// shared_embeddings).
enum class Embedding { table, shared };
[[nodiscard]] std::string_view name_of(Embedding embedding);

struct ModelSpec {
  Family family = Family::llama;
  std::int64_t layers = 0, hidden = 0, heads = 0, kv_heads = 0, head_dim = 0, ffn = 0, vocab = 0;
  std::int64_t context = 0;  // rows of the cos and sin tables
  std::int64_t block_size = 32;
  bool symmetric = true;              // false: uint8 zero points
  core::DType io = core::DType::f32;  // f32 or f16: activations, scales, norms, tables
  Head head = Head::int4;
  Embedding embedding = Embedding::table;
  bool qkv_bias = false;
  std::int64_t rotary_dim = 0;  // elements of a head that are rotated; the rest passes through
  bool rotary_interleaved = false;
  double rope_theta = 10000.0;
  float eps = 1e-6f;
  std::optional<std::int64_t> accuracy_level = {};  // attribute of every MatMulNBits; absent: not written

  [[nodiscard]] std::int64_t qkv_rows() const { return (heads + 2 * kv_heads) * head_dim; }
  [[nodiscard]] std::int64_t attention_width() const { return heads * head_dim; }
  friend bool operator==(const ModelSpec&, const ModelSpec&) = default;
};

/// Whether such a model can exist and be run by ONNX Runtime 1.30; else the first rule broken.
[[nodiscard]] core::Eligibility check_spec(const ModelSpec& spec);

/// Every field on one line: the identity of a spec.
[[nodiscard]] std::string describe(const ModelSpec& spec);

}  // namespace gonogo::models
