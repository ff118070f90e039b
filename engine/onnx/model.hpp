// An ONNX file as read: nodes, attributes, initialisers as views into the file or its mapped external data.
// Source: onnx.proto (IR 3 to 10), and docs/onnx-operators.md for what the genai builder writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/core/tensor.hpp"

namespace gonogo::onnx {

/// A dimension of a graph input or output: fixed, or a named symbol ("sequence_length"), or unknown (empty name).
struct Dim {
  std::int64_t value = -1;  // -1: symbolic
  std::string symbol;
};

struct ValueInfo {
  std::string name;
  core::DType dtype = core::DType::f32;
  std::vector<Dim> shape;
  bool is_ranked = true;  // false: the file declares no shape at all
};

/// A constant tensor. `tensor.data` points into storage that the Model keeps alive.
struct Initializer {
  std::string name;
  core::Tensor tensor;
};

using AttributeValue = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>, std::vector<float>,
                                    std::vector<std::string>, core::Tensor>;

struct Node {
  std::string name;    // may be empty in the file; the loader then gives "OpType#index"
  std::string domain;  // "" (ai.onnx) or "com.microsoft"
  std::string op_type;
  std::vector<std::string> inputs;   // "" is an absent optional input, positions matter
  std::vector<std::string> outputs;  // "" is an output nobody wants
  std::map<std::string, AttributeValue, std::less<>> attributes;
};

/// Keeps mapped files and decoded bytes alive for as long as tensors point into them.
class Storage;

struct Model {
  std::filesystem::path file;  // the .onnx file
  std::int64_t ir_version = 0;
  std::string producer;
  std::map<std::string, std::int64_t> opsets;  // domain -> version
  std::vector<ValueInfo> inputs;               // without those that are initialisers
  std::vector<ValueInfo> outputs;
  std::vector<Node> nodes;  // in file order, which ONNX requires to be topological
  std::vector<Initializer> initializers;
  std::shared_ptr<const Storage> storage;
};

/// Loads a .onnx file and checks everything before anything is used: sizes against dims, offsets and lengths of
/// external data against the real file, paths that leave the model's folder, Git LFS pointers, control flow. External
/// data is mapped, not read. Throws core::InputError naming file, tensor or node, and the remedy.
[[nodiscard]] Model load(const std::filesystem::path& file);

/// `model` as the user names it: a .onnx file, or a folder (genai_config.json's filename, else model.onnx, else the
/// only .onnx file in it). Throws core::InputError when there is none or more than one.
[[nodiscard]] std::filesystem::path find_model_file(const std::filesystem::path& model);

}  // namespace gonogo::onnx
