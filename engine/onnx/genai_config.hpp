// What genai_config.json says where it is present. The graph is asked first; the config is never needed.
// Source: the files that the onnxruntime-genai builder writes (docs/onnx-operators.md, "Graphs of the builder").
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gonogo::onnx {

struct GenaiConfig {
  std::optional<std::string> filename;  // model.decoder.filename
  std::optional<std::string> type;      // model.type: "qwen2", "chatglm"...
  std::optional<std::int64_t> context_length;
  std::optional<std::int64_t> vocab_size;
  std::optional<std::int64_t> bos_id;
  std::vector<std::int64_t> eos_ids;  // an id or a list in the file; empty when it says nothing
};

/// The config in `folder`; every field empty when there is none.
/// Throws core::InputError with file and key path when it is no JSON or a field has another type.
[[nodiscard]] GenaiConfig read_genai_config(const std::filesystem::path& folder);

}  // namespace gonogo::onnx
