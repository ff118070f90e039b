// The normalisation operators: one set of rules read from the node, one implementation.
// Source: ONNX Runtime ContribOperators.md, Skip...; onnx Operators.md, RMSNormalization-23, LayerNormalization-17.
#pragma once

#include <memory>

#include "engine/ops/op.hpp"
#include "engine/ops/call_scratch.hpp"
#include "kernels/norm/norm.hpp"

namespace gonogo::ops::norm {

/// Where the operator's inputs and outputs sit; -1: it has none such.
struct Places {
  int skip = -1, gamma = 1, beta = -1, bias = -1;  // inputs; x is 0
  int mean = -1, inverse = -1, sum = -1;           // outputs; y is 0
};

struct Rules {
  std::string kernel;  // "rms_norm", "skip_rms_norm"...
  kernels::norm::Kind kind = kernels::norm::Kind::rms;
  bool round_before_gamma = false;
  float epsilon = 0.0f;
  std::int64_t axis = -1;
  Places places = {};
  std::vector<bool> inputs = {}, outputs = {};  // which are present
};

[[nodiscard]] std::unique_ptr<Op> make_norm(Rules rules, const NodePlace& place, Form form);

}  // namespace gonogo::ops::norm
