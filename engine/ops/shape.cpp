#include "engine/ops/registry.hpp"

namespace gonogo::ops {

std::span<const Registration> shape_ops() { return {}; }

}  // namespace gonogo::ops
