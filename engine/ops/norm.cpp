#include "engine/ops/registry.hpp"

namespace gonogo::ops {

std::span<const Registration> norm_ops() { return {}; }

}  // namespace gonogo::ops
