// A folder of single-operator cases: cases.jsonl, one case a line, beside the ONNX files it names.
// A tensor is [dtype, shape, values] or {"type", "dims", "data"}; float16 values are bit patterns.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/core/allocation.hpp"
#include "harness/core/tensor.hpp"

namespace gonogo::tools {

struct CaseTensor {
  core::Tensor tensor;
  core::HostBuffer buffer;  // what `tensor` points into
};

struct Case {
  std::string tag;
  std::filesystem::path model;
  std::map<std::string, CaseTensor> feeds;
  std::map<std::string, CaseTensor> expected;  // empty when the case must be refused
  bool must_refuse = false;
};

/// Throws core::InputError with file and line when the folder, a line or a named model file is missing or malformed,
/// and when there is no case at all.
[[nodiscard]] std::vector<Case> read_cases(const std::filesystem::path& folder);

}  // namespace gonogo::tools
