// make_model: writes preset or custom-shape ONNX models in the genai builder's form, with seeded random weights.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/models/cache.hpp"
#include "engine/models/write_model.hpp"
#include "harness/cli/options.hpp"
#include "harness/cli/run_main.hpp"
#include "harness/core/error.hpp"
#include "tools/preset_progress.hpp"

namespace gonogo {
namespace {

using models::ModelSpec;

/// Every shape option is absent unless given: a preset's value stays, or a custom model's default holds.
struct Options {
  std::string preset, out, cache_dir;
  std::optional<std::string> family, io, head, embedding, symmetric, qkv_bias, rotary_interleaved;
  std::optional<std::int64_t> layers, hidden, heads, kv_heads, head_dim, ffn, vocab, context, block_size, rotary_dim,
      accuracy_level;
  std::optional<double> rope_theta, eps;
  std::int64_t seed = 1, threads = 0;
  bool list = false;
};

template <class T>
using Words = std::vector<std::pair<std::string, T>>;
const Words<models::Family> kFamilies{
    {"glm", models::Family::glm}, {"qwen2", models::Family::qwen2}, {"llama", models::Family::llama}};
const Words<core::DType> kTypes{{"f32", core::DType::f32}, {"f16", core::DType::f16}};
const Words<models::Head> kHeads{{"int4", models::Head::int4}, {"dense", models::Head::dense}};
const Words<models::Embedding> kEmbeddings{{"table", models::Embedding::table}, {"shared", models::Embedding::shared}};
const Words<bool> kBools{{"true", true}, {"false", false}};

template <class T>
std::vector<std::string> names(const Words<T>& words) {
  std::vector<std::string> result;
  for (const auto& [name, value] : words) result.push_back(name);
  return result;
}

/// The value of a word that the options have accepted.
template <class T>
std::optional<T> value_of(const std::optional<std::string>& word, const Words<T>& words) {
  if (!word) return std::nullopt;
  for (const auto& [name, value] : words)
    if (name == *word) return value;
  throw core::LogicError("a word of the option", __FILE__, __LINE__, *word);
}

void add_options(cli::OptionSet& set, Options& o) {
  constexpr cli::IntegerRange kAny{};
  set.group("Model");
  set.text("--preset", o.preset, "Start from this preset; without --out it goes to the cache");
  set.flag("--list", o.list, "Print the presets with bytes and shapes");
  set.integer("--seed", o.seed, {0, std::numeric_limits<std::int64_t>::max()}, "Seed of the weights");
  set.group("Shape: a preset's own unless given");
  set.choice("--family", o.family, names(kFamilies), "Family of the graph");
  set.integer("--layers", o.layers, kAny, "Decoder layers");
  set.integer("--hidden", o.hidden, kAny, "Width of the residual");
  set.integer("--heads", o.heads, kAny, "Query heads");
  set.integer("--kv-heads", o.kv_heads, kAny, "Key and value heads (custom: --heads)");
  set.integer("--head-dim", o.head_dim, kAny, "Elements of a head (custom: hidden / heads)");
  set.integer("--ffn", o.ffn, kAny, "Width of the MLP");
  set.integer("--vocab", o.vocab, kAny, "Token ids");
  set.integer("--context", o.context, kAny, "Rows of the cos and sin tables (custom: 2048)");
  set.integer("--block-size", o.block_size, kAny, "16, 32, 64, 128 or 256");
  set.choice("--symmetric", o.symmetric, names(kBools), "false: with zero points");
  set.choice("--io", o.io, names(kTypes), "Type of activations");
  set.choice("--lm-head", o.head, names(kHeads), "Output projection");
  set.choice("--embedding", o.embedding, names(kEmbeddings), "A table, or shared with an int4 head");
  set.choice("--qkv-bias", o.qkv_bias, names(kBools), "Bias after the qkv projection");
  set.integer("--rotary-dim", o.rotary_dim, kAny, "Rotated elements of a head (custom: all)");
  set.choice("--rotary-interleaved", o.rotary_interleaved, names(kBools), "Pairs (2i, 2i+1) instead of halves");
  set.real("--rope-theta", o.rope_theta, {}, "Base of the rotary frequencies");
  set.real("--eps", o.eps, {}, "Epsilon of the norms");
  set.integer("--accuracy-level", o.accuracy_level, kAny, "Attribute of every MatMulNBits, 1 to 4; 0: not written");
  set.group("Output");
  set.text("--out", o.out, "Folder to write; must be new or empty");
  set.text("--cache-dir", o.cache_dir,
           "Folder of preset models (else $GONOGO_CACHE, $XDG_CACHE_HOME/gonogo, ~/.cache/gonogo)");
  set.integer("--threads", o.threads, {0, 1024}, "Writing threads; 0: all this process may use");
}

void reject(const core::Refusal& refusal) { throw core::UsageError(core::to_string(refusal)); }

/// A custom model: what is not given follows from what is.
ModelSpec custom(const Options& o) {
  const auto family = value_of(o.family, kFamilies);
  if (!family) throw core::UsageError("give --preset NAME, or --family with --layers --hidden --heads --ffn --vocab");
  const auto need = [](const std::optional<std::int64_t>& value, const char* name) {
    if (!value) throw core::UsageError(fmt::format("a custom model needs {}", name));
    return *value;
  };
  ModelSpec spec{.family = *family,
                 .layers = need(o.layers, "--layers"),
                 .hidden = need(o.hidden, "--hidden"),
                 .heads = need(o.heads, "--heads"),
                 .ffn = need(o.ffn, "--ffn"),
                 .vocab = need(o.vocab, "--vocab"),
                 .context = 2048,
                 .qkv_bias = *family != models::Family::llama,
                 .rotary_interleaved = *family == models::Family::glm};
  spec.kv_heads = o.kv_heads.value_or(spec.heads);
  if (spec.heads < 1) reject({"heads, in range", "1 or more", fmt::to_string(spec.heads)});
  if (!o.head_dim && spec.hidden % spec.heads != 0)
    reject({"hidden, a multiple of heads (or give --head-dim)", fmt::format("a multiple of {}", spec.heads),
            fmt::to_string(spec.hidden)});
  spec.head_dim = o.head_dim.value_or(spec.hidden / spec.heads);
  spec.rotary_dim = spec.family == models::Family::glm ? spec.head_dim / 2 : spec.head_dim;
  return spec;
}

ModelSpec spec_of(const Options& o) {
  ModelSpec spec = o.preset.empty() ? custom(o) : models::find_preset(o.preset).spec;
  const auto set = [](auto& field, const auto& given) {
    if (given) field = *given;
  };
  set(spec.family, value_of(o.family, kFamilies));
  set(spec.layers, o.layers);
  set(spec.hidden, o.hidden);
  set(spec.heads, o.heads);
  set(spec.kv_heads, o.kv_heads);
  set(spec.head_dim, o.head_dim);
  set(spec.ffn, o.ffn);
  set(spec.vocab, o.vocab);
  set(spec.context, o.context);
  set(spec.block_size, o.block_size);
  set(spec.symmetric, value_of(o.symmetric, kBools));
  set(spec.io, value_of(o.io, kTypes));
  set(spec.head, value_of(o.head, kHeads));
  set(spec.embedding, value_of(o.embedding, kEmbeddings));
  set(spec.qkv_bias, value_of(o.qkv_bias, kBools));
  set(spec.rotary_dim, o.rotary_dim);
  set(spec.rotary_interleaved, value_of(o.rotary_interleaved, kBools));
  set(spec.rope_theta, o.rope_theta);
  if (o.eps) spec.eps = static_cast<float>(*o.eps);
  if (o.accuracy_level) spec.accuracy_level = *o.accuracy_level == 0 ? std::nullopt : o.accuracy_level;
  if (const auto answer = models::check_spec(spec); !answer) reject(answer.reason());
  return spec;
}

void list() {
  for (const models::Preset& preset : models::presets())
    fmt::print("{}\n  {}\n  {} bytes\n  {}\n", preset.name, preset.purpose, models::folder_bytes(preset.spec),
               describe(preset.spec));
}

/// The cache holds presets at any depth and no other shape.
bool is_cached_shape(const Options& options, const ModelSpec& spec) {
  if (options.preset.empty()) return false;
  ModelSpec preset = models::find_preset(options.preset).spec;
  preset.layers = spec.layers;
  return spec == preset;
}

core::ExitCode run(int argc, char** argv) {
  Options options;
  cli::OptionSet set("make_model",
                     "Writes ONNX models in the onnxruntime-genai builder's form, with seeded random weights.");
  add_options(set, options);
  if (set.parse(argc, argv) == cli::Parsed::done) return core::ExitCode::ok;
  if (options.list) {
    list();
    return core::ExitCode::ok;
  }
  const ModelSpec spec = spec_of(options);
  const auto seed = static_cast<std::uint64_t>(options.seed);
  const auto threads = static_cast<int>(options.threads);
  std::filesystem::path folder = options.out;
  if (!options.out.empty()) {
    models::write_model(spec, folder, {seed, threads, tools::preset_progress()});
  } else {
    if (!is_cached_shape(options, spec)) throw core::UsageError("a custom shape needs --out DIR");
    folder = models::ensure_preset(options.preset,
                                   {options.layers, seed, options.cache_dir, threads, tools::preset_progress()});
  }
  fmt::print("{}\n", folder.string());
  return core::ExitCode::ok;
}

}  // namespace
}  // namespace gonogo

int main(int argc, char** argv) { return gonogo::cli::run_main(argc, argv, "make_model", gonogo::run); }
