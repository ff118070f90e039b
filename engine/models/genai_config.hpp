// genai_config.json: what the builder writes beside the graph for onnxruntime-genai. This engine does not need it.
#pragma once

#include <string>

#include "engine/models/spec.hpp"

namespace gonogo::models {

[[nodiscard]] std::string genai_config(const ModelSpec& spec);

}  // namespace gonogo::models
