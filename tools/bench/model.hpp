// The model a user names: "preset:NAME", a folder with model.onnx, or a .onnx file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/session/session.hpp"
#include "harness/record/json.hpp"
#include "tools/backend.hpp"
#include "tools/bench/options.hpp"

namespace gonogo::bench {

/// A loaded model and where its sessions run.
struct Model {
  std::string name;
  std::shared_ptr<const engine::LoadedModel> loaded;
  const tools::Backend& backend;
};

[[nodiscard]] std::unique_ptr<engine::Session> open_session(const Model& model, const engine::Stack& stack,
                                                            const Options& options);

[[nodiscard]] record::Json to_json(const engine::ModelFacts& facts, const std::string& label);

}  // namespace gonogo::bench
