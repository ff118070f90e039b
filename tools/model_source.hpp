// A model as the user names it: a folder, a .onnx file, or "preset:NAME".
#pragma once

#include <string>

#include "engine/session/session.hpp"

namespace gonogo::tools {

/// A preset is written to the cache when it is not there. Throws core::InputError or core::UsageError.
[[nodiscard]] engine::ModelSource model_source(const std::string& model);

}  // namespace gonogo::tools
