#include "tools/model_source.hpp"

#include "engine/models/cache.hpp"
#include "engine/onnx/model.hpp"
#include "tools/preset_progress.hpp"

namespace gonogo::tools {
engine::ModelSource model_source(const std::string& model) {
  constexpr std::string_view kPreset = "preset:";
  if (model.starts_with(kPreset)) {
    const std::string name = model.substr(kPreset.size());
    models::PresetOptions options;
    options.progress = preset_progress();
    return {onnx::find_model_file(models::ensure_preset(name, options)), name};
  }
  const std::filesystem::path file = onnx::find_model_file(model);
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  return {file, std::filesystem::is_directory(model) ? folder.filename().string() : file.stem().string()};
}

}  // namespace gonogo::tools
