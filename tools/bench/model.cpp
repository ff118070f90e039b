#include "tools/bench/model.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <string_view>

#include "engine/models/cache.hpp"
#include "harness/core/error.hpp"

namespace gonogo::bench {
namespace {

constexpr std::string_view kPreset = "preset:";

models::Progress progress() {
  if (::isatty(STDERR_FILENO) == 0) return nullptr;
  return [last = std::int64_t{-1}](std::int64_t done, std::int64_t total) mutable {
    const std::int64_t percent = total > 0 ? done * 100 / total : 100;
    if (percent == last) return;
    last = percent;
    fmt::print(stderr, "\rwriting the preset: {:3} %{}", percent, done == total ? "\n" : "");
  };
}

}  // namespace

engine::ModelSource resolve_model(const std::string& text) {
  if (text.starts_with(kPreset)) {
    const std::string name = text.substr(kPreset.size());
    models::PresetOptions options;
    options.progress = progress();
    return {models::ensure_preset(name, options) / "model.onnx", name};
  }
  std::filesystem::path path(text);
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    path /= "model.onnx";
    if (!std::filesystem::exists(path, error))
      throw core::InputError({text, "", "the folder has no model.onnx", "name the .onnx file itself"});
  } else if (!std::filesystem::exists(path, error)) {
    throw core::InputError({text, "", "no such file or folder", "give a folder, a .onnx file, or preset:NAME (see --list)"});
  }
  const auto folder = std::filesystem::absolute(path).parent_path();
  const bool by_folder = path.filename() == "model.onnx";
  return {path, by_folder ? folder.filename().string() : path.stem().string()};
}

void check_backend(const Options& options) {
  if (options.common.backend == "cuda")
    throw core::EnvironmentError("--backend cuda: this build has no CUDA backend; use --backend cpu, or build with a CUDA toolkit");
  if (options.device != 0)
    throw core::UsageError(fmt::format("--device {}: the cpu backend has one device, 0", options.device));
}

std::unique_ptr<engine::Session> open_session(const Model& model, const engine::Stack& stack, const Options& options) {
  engine::SessionOptions session;
  session.stack = stack;
  session.threads = static_cast<int>(options.common.threads);
  return engine::open_cpu_session(model.loaded, session);
}

record::Json to_json(const engine::ModelFacts& f, const std::string& label) {
  return {{"name", f.name},
          {"label", label},
          {"weights_hash", f.weights_hash},
          {"layers", f.layers},
          {"hidden", f.hidden},
          {"heads", f.heads},
          {"kv_heads", f.kv_heads},
          {"head_dim", f.head_dim},
          {"vocab", f.vocab},
          {"context", f.context},
          {"io_dtype", f.io_dtype},
          {"weight_bytes", f.weight_bytes},
          {"bytes_per_token", f.step.bytes()},
          {"flops_per_token", f.step.flops}};
}

}  // namespace gonogo::bench
