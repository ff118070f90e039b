#include "engine/ops/registry.hpp"

namespace gonogo::ops {

std::span<const Registration> pointwise_ops() { return {}; }

}  // namespace gonogo::ops
