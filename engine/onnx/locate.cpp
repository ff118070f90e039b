// From what the user names to the .onnx file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/onnx/genai_config.hpp"
#include "engine/onnx/model.hpp"
#include "harness/core/error.hpp"

namespace gonogo::onnx {
namespace fs = std::filesystem;
namespace {

std::vector<std::string> onnx_files_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  if (error) throw core::InputError({folder.string(), "", "cannot be listed: " + error.message(), ""});
  for (const fs::directory_entry& entry : entries)
    if (entry.path().extension() == ".onnx" && entry.is_regular_file(error))
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

fs::path find_model_file(const fs::path& model) {
  std::error_code error;
  const fs::file_status status = fs::status(model, error);
  if (!fs::exists(status))
    throw core::InputError(
        {model.string(), "", "no such file or folder", "name a .onnx file or a folder that holds one"});
  if (!fs::is_directory(status)) return model;

  const GenaiConfig config = read_genai_config(model);
  if (config.filename) {
    const fs::path named = model / *config.filename;
    const bool leaves =
        fs::path(*config.filename).is_absolute() || *fs::path(*config.filename).lexically_normal().begin() == "..";
    if (leaves || !fs::is_regular_file(named, error))
      throw core::InputError(
          {(model / "genai_config.json").string(), "model.decoder.filename",
           fmt::format("\"{}\" {}", *config.filename, leaves ? "leaves the folder" : "is not in the folder"),
           "name the .onnx file itself, or complete the download"});
    return named;
  }
  if (fs::is_regular_file(model / "model.onnx", error)) return model / "model.onnx";
  const std::vector<std::string> names = onnx_files_in(model);
  if (names.size() == 1) return model / names.front();
  if (names.empty())
    throw core::InputError({model.string(), "", "holds no .onnx file", "name a folder with model.onnx"});
  throw core::InputError({model.string(), "",
                          fmt::format("holds {} .onnx files: {}", names.size(), fmt::join(names, ", ")),
                          "name one of them"});
}

}  // namespace gonogo::onnx
