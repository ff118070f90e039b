#include "engine/models/spec.hpp"

#include <fmt/format.h>

#include <cmath>

namespace gonogo::models {
namespace {

/// Generous, and small enough that no product of two extents overflows 64 bits.
constexpr std::int64_t kMaxExtent = std::int64_t{1} << 24;
constexpr std::int64_t kMaxLayers = 1024;

core::Eligibility check_extents(const ModelSpec& s) {
  struct Extent {
    std::string_view name;
    std::int64_t value;
    std::int64_t most;
  };
  const Extent extents[] = {{"layers", s.layers, kMaxLayers},     {"hidden", s.hidden, kMaxExtent},
                            {"heads", s.heads, kMaxExtent},       {"kv_heads", s.kv_heads, kMaxExtent},
                            {"head_dim", s.head_dim, kMaxExtent}, {"ffn", s.ffn, kMaxExtent},
                            {"vocab", s.vocab, kMaxExtent},       {"context", s.context, kMaxExtent}};
  for (const Extent& extent : extents)
    if (extent.value < 1 || extent.value > extent.most)
      return core::refuse(fmt::format("{}, in range", extent.name), fmt::format("1 to {}", extent.most),
                          fmt::format("{}", extent.value));
  if (s.qkv_rows() > kMaxExtent) return core::refuse("rows of the qkv projection, at most", kMaxExtent, s.qkv_rows());
  return core::accept();
}

core::Eligibility check_attention(const ModelSpec& s) {
  if (s.heads % s.kv_heads != 0)
    return core::refuse("heads, a multiple of kv_heads", fmt::format("a multiple of {}", s.kv_heads),
                        fmt::format("{}", s.heads));
  // GroupQueryAttention with rotary: docs/onnx-operators.md.
  if (s.head_dim % 16 != 0)
    return core::refuse("head_dim, a multiple of 16", "a multiple of 16", fmt::format("{}", s.head_dim));
  if (s.rotary_dim < 16 || s.rotary_dim % 16 != 0 || s.rotary_dim > s.head_dim)
    return core::refuse("rotary_dim, a multiple of 16 within head_dim", fmt::format("16 to {}", s.head_dim),
                        fmt::format("{}", s.rotary_dim));
  if (!(s.rope_theta > 1.0) || !std::isfinite(s.rope_theta))
    return core::refuse("rope_theta, above 1", "above 1", fmt::format("{}", s.rope_theta));
  return core::accept();
}

core::Eligibility check_quantisation(const ModelSpec& s) {
  const std::int64_t b = s.block_size;
  if (b != 16 && b != 32 && b != 64 && b != 128 && b != 256)
    return core::refuse("block_size, one of", "16, 32, 64, 128, 256", fmt::format("{}", b));
  if (s.accuracy_level && (*s.accuracy_level < 1 || *s.accuracy_level > 4))
    return core::refuse("accuracy_level, one of", "1, 2, 3, 4", fmt::format("{}", *s.accuracy_level));
  if (s.embedding == Embedding::shared && s.head != Head::int4)
    return core::refuse("head of a shared embedding", "int4", std::string(name_of(s.head)));
  // The head's packed rows carry block padding; an embedding's may not.
  if (s.embedding == Embedding::shared && s.hidden % b != 0)
    return core::refuse("hidden of a shared embedding, a multiple of block_size", fmt::format("a multiple of {}", b),
                        fmt::format("{}", s.hidden));
  return core::accept();
}

}  // namespace

std::string_view name_of(Family family) {
  switch (family) {
    case Family::glm:
      return "chatglm";
    case Family::qwen2:
      return "qwen2";
    case Family::llama:
      return "llama";
  }
  return "unknown";
}

std::string_view name_of(Head head) { return head == Head::int4 ? "int4" : "dense"; }

std::string_view name_of(Embedding embedding) { return embedding == Embedding::table ? "table" : "shared"; }

core::Eligibility check_spec(const ModelSpec& spec) {
  for (const auto& check : {check_extents, check_attention, check_quantisation})
    if (auto answer = check(spec); !answer) return answer;
  if (spec.io != core::DType::f32 && spec.io != core::DType::f16)
    return core::refuse("io type, one of", "float32, float16", std::string(core::name_of(spec.io)));
  if (!(spec.eps > 0.0f) || !std::isfinite(spec.eps))
    return core::refuse("eps, above 0", "above 0", fmt::format("{}", spec.eps));
  return core::accept();
}

std::string describe(const ModelSpec& s) {
  return fmt::format(
      "family={} layers={} hidden={} heads={} kv_heads={} head_dim={} ffn={} vocab={} context={} block_size={} "
      "symmetric={} io={} head={} embedding={} qkv_bias={} rotary_dim={} rotary_interleaved={} rope_theta={} eps={} "
      "accuracy_level={}",
      name_of(s.family), s.layers, s.hidden, s.heads, s.kv_heads, s.head_dim, s.ffn, s.vocab, s.context, s.block_size,
      s.symmetric, core::name_of(s.io), name_of(s.head), name_of(s.embedding), s.qkv_bias, s.rotary_dim,
      s.rotary_interleaved, s.rope_theta, s.eps, s.accuracy_level ? fmt::format("{}", *s.accuracy_level) : "absent");
}

}  // namespace gonogo::models
