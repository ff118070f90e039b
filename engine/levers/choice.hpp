// What a stack of levers means for one node: the kernels to choose, and for the graph: the rewrites to apply.
#pragma once

#include <string_view>

#include "engine/levers/stack.hpp"
#include "engine/ops/op.hpp"

namespace gonogo::engine {

/// What kind of kernel a node wants, as far as levers care.
enum class NodeRole {
  projection,  // an int4, int8 or dense matrix product
  lm_head,     // the product that makes the logits
  attention,
  norm,
  other,
};

/// The role of an operator by its type; lm_head is a projection whose result is the logits, which only the graph can
/// tell.
[[nodiscard]] NodeRole role_of(std::string_view op_type);

/// The kernels of a node with this role. Fields that do not concern the role keep their defaults, so that stacks which
/// treat a node alike give equal choices.
[[nodiscard]] ops::KernelChoice kernel_choice(const Stack& stack, NodeRole role, bool int8_activations);

/// Whether a rewrite of the graph belongs to the stack: fusing rewrites need the fusion lever, the others always apply.
[[nodiscard]] bool rewrite_enabled(const Stack& stack, std::string_view rewrite);

}  // namespace gonogo::engine
