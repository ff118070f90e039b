#include "engine/ops/registry.hpp"

namespace gonogo::ops {

std::span<const Registration> attention_ops() { return {}; }

}  // namespace gonogo::ops
