// The model a user names: "preset:NAME", a folder with model.onnx, or a .onnx file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/session/session.hpp"
#include "harness/record/run_record.hpp"
#include "tools/bench/options.hpp"

namespace gonogo::bench {

/// A loaded model from which sessions are opened.
struct Model {
  std::string name;
  std::shared_ptr<const engine::LoadedModel> loaded;
};

/// Throws EnvironmentError for --backend cuda in a build without it, UsageError for a device the backend does not have.
void check_backend(const Options& options);

[[nodiscard]] std::unique_ptr<engine::Session> open_session(const Model& model, const engine::Stack& stack,
                                                            const Options& options);

[[nodiscard]] record::Json to_json(const engine::ModelFacts& facts, const std::string& label);

}  // namespace gonogo::bench
