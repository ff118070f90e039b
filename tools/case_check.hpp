// Runs one case and says whether the engine was right, refused, or wrong.
#pragma once

#include <optional>
#include <string>

#include "engine/graph/evaluate.hpp"
#include "tools/case_file.hpp"
#include "tools/outcome.hpp"

namespace gonogo::tools {

struct CaseResult {
  Outcome outcome = Outcome::wrong;
  std::string what;  // the refusal, or what is wrong; for a right refusal its reason
};

/// float32: 1e-5 of the largest expected magnitude, the agreement of two float32 evaluations in another order, and an
/// absolute floor far below any value of interest, for outputs that are all zero. Source: tests/data/opcases/README.md.
inline constexpr double kRelative = 1e-5;
inline constexpr double kFloor = 1e-12;
/// float16: both sides round their float32 result once (half a unit in the last place each), and a graph may round an
/// intermediate that only one side keeps in float32 (half a unit each again): two units at the expected value, on top
/// of the float32 tolerance. The same holds for bfloat16.
inline constexpr double kUnits = 2;

/// Nothing when `got` agrees, else the first element that does not. A NaN agrees with a NaN only, infinities with
/// themselves, integers exactly; types and shapes must be equal.
[[nodiscard]] std::optional<std::string> difference(const std::string& name, const core::Tensor& wanted,
                                                    const core::Tensor& got);

/// Loads, rewrites and evaluates the case's model as the engine would, but for the mask, whose folding assumes a batch
/// of 1. Never throws: a refusal (core::InputError, or memory that is not there) where a value is expected is
/// `refused`, any other exception is `wrong`.
[[nodiscard]] CaseResult check_case(const Case& one, const graph::EvaluateOptions& options);

}  // namespace gonogo::tools
