// Integers that depend on the step only through its total length: each is scale * total + offset.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "engine/graph/graph.hpp"

namespace gonogo::graph {

struct Affine {
  std::int64_t scale = 0;
  std::int64_t offset = 0;
  friend bool operator==(const Affine&, const Affine&) = default;
};

/// A small integer tensor of such numbers; or the mask itself, [1, total] ones, which is never written out.
struct AffineTensor {
  core::DType dtype = core::DType::i64;
  core::Shape shape;
  std::vector<Affine> elements;
  bool is_mask = false;
};

/// What this node yields from affine inputs, or nothing when it is no affine function of them or no known operator.
/// `inputs` has null for an absent input; constants are affine with scale 0.
[[nodiscard]] std::optional<AffineTensor> affine_result(const Node& node,
                                                        const std::vector<const AffineTensor*>& inputs);

/// A small integer constant (at most 64 elements), or nothing.
[[nodiscard]] std::optional<AffineTensor> affine_constant(const core::Tensor& tensor);

}  // namespace gonogo::graph
