#include "tools/model_source.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "engine/models/cache.hpp"
#include "engine/onnx/model.hpp"

namespace gonogo::tools {
namespace {

// On stderr, and only where somebody watches.
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

engine::ModelSource model_source(const std::string& model) {
  constexpr std::string_view kPreset = "preset:";
  if (model.starts_with(kPreset)) {
    const std::string name = model.substr(kPreset.size());
    models::PresetOptions options;
    options.progress = progress();
    return {onnx::find_model_file(models::ensure_preset(name, options)), name};
  }
  const std::filesystem::path file = onnx::find_model_file(model);
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  return {file, std::filesystem::is_directory(model) ? folder.filename().string() : file.stem().string()};
}

}  // namespace gonogo::tools
