#include "engine/ops/registry.hpp"

namespace gonogo::ops {

std::span<const Registration> linear_ops() { return {}; }

}  // namespace gonogo::ops
