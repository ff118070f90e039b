// Runs the single-node cases of tests/data/opcases through ops::make_op.
#pragma once

#include <string>
#include <vector>

#include "engine/ops/op.hpp"

namespace gonogo::tests {

struct CaseOutcome {
  std::string tag;
  enum class Kind { right, refused, wrong } kind = Kind::wrong;
  bool refusal_expected = false;  // ONNX Runtime refuses the case
  std::string detail;             // the refusal, or the worst difference
};

/// Every case whose tag starts with one of `prefixes`, in file order.
[[nodiscard]] std::vector<CaseOutcome> run_opcases(const std::vector<std::string>& prefixes,
                                                   const ops::KernelChoice& choice);

}  // namespace gonogo::tests
