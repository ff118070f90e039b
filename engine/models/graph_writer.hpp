// The ONNX graph of a spec: the builder's nodes, names, order, attributes and edges.
#pragma once

#include <string>

#include "engine/models/tensors.hpp"

namespace gonogo::models {

inline constexpr const char* kModelFile = "model.onnx";
inline constexpr const char* kDataFile = "model.onnx.data";

/// The bytes of model.onnx, whose initialisers lie in kDataFile at the layout's offsets.
[[nodiscard]] std::string serialize_graph(const ModelSpec& spec, const TensorLayout& layout);

}  // namespace gonogo::models
