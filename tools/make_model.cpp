// make_model: writes preset or custom-shape ONNX models in the genai builder's form, with seeded random weights.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "engine/models/cache.hpp"
#include "engine/models/write_model.hpp"
#include "harness/cli/run_main.hpp"
#include "harness/core/error.hpp"
#include "tools/preset_progress.hpp"

namespace gonogo {
namespace {

using models::ModelSpec;

/// Every shape option is absent unless given: a preset's value stays, or a custom model's default holds.
struct Options {
  std::string preset, out, cache_dir;
  std::optional<models::Family> family;
  std::optional<std::int64_t> layers, hidden, heads, kv_heads, head_dim, ffn, vocab, context, block_size, rotary_dim,
      accuracy_level;
  std::optional<core::DType> io;
  std::optional<models::Head> head;
  std::optional<models::Embedding> embedding;
  std::optional<double> rope_theta;
  std::optional<float> eps;
  std::optional<bool> symmetric, qkv_bias, rotary_interleaved;
  std::uint64_t seed = 1;
  int threads = 0;
  bool list = false;
};

void add_options(CLI::App& app, Options& o) {
  const std::map<std::string, models::Family> families{
      {"glm", models::Family::glm}, {"qwen2", models::Family::qwen2}, {"llama", models::Family::llama}};
  const std::map<std::string, core::DType> types{{"f32", core::DType::f32}, {"f16", core::DType::f16}};
  const std::map<std::string, models::Head> heads{{"int4", models::Head::int4}, {"dense", models::Head::dense}};
  const std::map<std::string, models::Embedding> embeddings{{"table", models::Embedding::table},
                                                            {"shared", models::Embedding::shared}};
  app.add_option("--preset", o.preset, "Start from this preset; without --out it goes to the cache");
  app.add_option("--out", o.out, "Folder to write; must be new or empty");
  app.add_flag("--list", o.list, "Print the presets with bytes and shapes");
  app.add_option("--seed", o.seed, "Seed of the weights")->capture_default_str();
  app.add_option("--threads", o.threads, "Writing threads; 0: all this process may use")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app.add_option("--cache-dir", o.cache_dir,
                 "Folder of preset models (else $GONOGO_CACHE, $XDG_CACHE_HOME/gonogo, ~/.cache/gonogo)");
  app.add_option("--family", o.family, "glm, qwen2 or llama")->transform(CLI::CheckedTransformer(families));
  app.add_option("--layers", o.layers, "Decoder layers");
  app.add_option("--hidden", o.hidden, "Width of the residual");
  app.add_option("--heads", o.heads, "Query heads");
  app.add_option("--kv-heads", o.kv_heads, "Key and value heads (custom: --heads)");
  app.add_option("--head-dim", o.head_dim, "Elements of a head (custom: hidden / heads)");
  app.add_option("--ffn", o.ffn, "Width of the MLP");
  app.add_option("--vocab", o.vocab, "Token ids");
  app.add_option("--context", o.context, "Rows of the cos and sin tables (custom: 2048)");
  app.add_option("--block-size", o.block_size, "16, 32, 64, 128 or 256");
  app.add_option("--symmetric", o.symmetric, "false: with zero points");
  app.add_option("--io", o.io, "f32 or f16")->transform(CLI::CheckedTransformer(types));
  app.add_option("--lm-head", o.head, "int4 or dense")->transform(CLI::CheckedTransformer(heads));
  app.add_option("--embedding", o.embedding, "table, or shared with an int4 head")
      ->transform(CLI::CheckedTransformer(embeddings));
  app.add_option("--qkv-bias", o.qkv_bias, "Bias after the qkv projection");
  app.add_option("--rotary-dim", o.rotary_dim, "Rotated elements of a head (custom: all)");
  app.add_option("--rotary-interleaved", o.rotary_interleaved, "Pairs (2i, 2i+1) instead of halves");
  app.add_option("--rope-theta", o.rope_theta, "Base of the rotary frequencies");
  app.add_option("--eps", o.eps, "Epsilon of the norms");
  app.add_option("--accuracy-level", o.accuracy_level, "Attribute of every MatMulNBits, 1 to 4; 0: not written");
}

void reject(const core::Refusal& refusal) { throw core::UsageError(core::to_string(refusal)); }

/// A custom model: what is not given follows from what is.
ModelSpec custom(const Options& o) {
  if (!o.family) throw core::UsageError("give --preset NAME, or --family with --layers --hidden --heads --ffn --vocab");
  const auto need = [](const std::optional<std::int64_t>& value, const char* name) {
    if (!value) throw core::UsageError(fmt::format("a custom model needs {}", name));
    return *value;
  };
  ModelSpec spec{.family = *o.family,
                 .layers = need(o.layers, "--layers"),
                 .hidden = need(o.hidden, "--hidden"),
                 .heads = need(o.heads, "--heads"),
                 .ffn = need(o.ffn, "--ffn"),
                 .vocab = need(o.vocab, "--vocab"),
                 .context = 2048,
                 .qkv_bias = *o.family != models::Family::llama,
                 .rotary_interleaved = *o.family == models::Family::glm};
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
  set(spec.family, o.family);
  set(spec.layers, o.layers);
  set(spec.hidden, o.hidden);
  set(spec.heads, o.heads);
  set(spec.kv_heads, o.kv_heads);
  set(spec.head_dim, o.head_dim);
  set(spec.ffn, o.ffn);
  set(spec.vocab, o.vocab);
  set(spec.context, o.context);
  set(spec.block_size, o.block_size);
  set(spec.symmetric, o.symmetric);
  set(spec.io, o.io);
  set(spec.head, o.head);
  set(spec.embedding, o.embedding);
  set(spec.qkv_bias, o.qkv_bias);
  set(spec.rotary_dim, o.rotary_dim);
  set(spec.rotary_interleaved, o.rotary_interleaved);
  set(spec.rope_theta, o.rope_theta);
  set(spec.eps, o.eps);
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
  CLI::App app("Writes ONNX models in the onnxruntime-genai builder's form, with seeded random weights.", "make_model");
  Options options;
  add_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? core::ExitCode::ok : core::ExitCode::usage;
  }
  if (options.list) {
    list();
    return core::ExitCode::ok;
  }
  const ModelSpec spec = spec_of(options);
  std::filesystem::path folder = options.out;
  if (!options.out.empty()) {
    models::write_model(spec, folder, {options.seed, options.threads, tools::preset_progress()});
  } else {
    if (!is_cached_shape(options, spec)) throw core::UsageError("a custom shape needs --out DIR");
    folder = models::ensure_preset(
        options.preset, {options.layers, options.seed, options.cache_dir, options.threads, tools::preset_progress()});
  }
  fmt::print("{}\n", folder.string());
  return core::ExitCode::ok;
}

}  // namespace
}  // namespace gonogo

int main(int argc, char** argv) { return gonogo::cli::run_main(argc, argv, "make_model", gonogo::run); }
