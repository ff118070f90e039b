#include "engine/models/presets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <vector>

#include "harness/core/error.hpp"

namespace gonogo::models {
namespace {

using core::DType;

// `-e cpu` models (float32) carry accuracy_level 1; `-e cuda` models (float16) carry no accuracy_level.
constexpr std::array kPresets{
    Preset{"tiny",
           "the embedded default: seconds on two cores",
           {.family = Family::qwen2,
            .layers = 4,
            .hidden = 256,
            .heads = 8,
            .kv_heads = 2,
            .head_dim = 32,
            .ffn = 704,
            .vocab = 4096,
            .context = 4096,
            .block_size = 32,
            .io = DType::f32,
            .qkv_bias = true,
            .rotary_dim = 32,
            .accuracy_level = 1}},
    Preset{"tiny-glm",
           "glm-4-9b's operators in small: float16, block 128 with a tail, half-width interleaved rotary",
           {.family = Family::glm,
            .layers = 3,
            .hidden = 256,
            .heads = 8,
            .kv_heads = 2,
            .head_dim = 32,
            .ffn = 688,
            .vocab = 512,
            .context = 2048,
            .block_size = 128,
            .io = DType::f16,
            .qkv_bias = true,
            .rotary_dim = 16,
            .rotary_interleaved = true}},
    Preset{"qwen2.5-0.5b",
           "a real small model on a CPU: float32, block 32, int4 head shared with the embedding",
           {.family = Family::qwen2,
            .layers = 24,
            .hidden = 896,
            .heads = 14,
            .kv_heads = 2,
            .head_dim = 64,
            .ffn = 4864,
            .vocab = 151936,
            .context = 32768,
            .block_size = 32,
            .io = DType::f32,
            .embedding = Embedding::shared,
            .qkv_bias = true,
            .rotary_dim = 64,
            .rope_theta = 1e6,
            .accuracy_level = 1}},
    // A checkpoint of this family calls its epsilon layernorm_epsilon, so the builder writes 1e-6.
    Preset{"glm-4-9b",
           "float16, block 128, dense float16 head, half-width interleaved rotary, 2 KV heads",
           {.family = Family::glm,
            .layers = 40,
            .hidden = 4096,
            .heads = 32,
            .kv_heads = 2,
            .head_dim = 128,
            .ffn = 13696,
            .vocab = 151552,
            .context = 32768,
            .block_size = 128,
            .io = DType::f16,
            .head = Head::dense,
            .qkv_bias = true,
            .rotary_dim = 64,
            .rotary_interleaved = true,
            .rope_theta = 5e6}},
    Preset{"qwen2.5-14b",
           "float16, block 32, int4 head, 8 KV heads",
           {.family = Family::qwen2,
            .layers = 48,
            .hidden = 5120,
            .heads = 40,
            .kv_heads = 8,
            .head_dim = 128,
            .ffn = 13824,
            .vocab = 152064,
            .context = 32768,
            .block_size = 32,
            .io = DType::f16,
            .qkv_bias = true,
            .rotary_dim = 128,
            .rope_theta = 1e6,
            .eps = 1e-5f}},
};

}  // namespace

std::span<const Preset> presets() { return kPresets; }

const Preset& find_preset(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Preset& preset : kPresets) {
    if (preset.name == name) return preset;
    names.push_back(preset.name);
  }
  throw core::UsageError(fmt::format("no preset '{}': the presets are {}", name, fmt::join(names, ", ")));
}

}  // namespace gonogo::models
