#include <array>

#include "engine/ops/registry.hpp"
#include "engine/ops/shape_families.hpp"

namespace gonogo::ops {
namespace {

template <std::unique_ptr<Op> (*make)(const Recipe&)>
std::unique_ptr<Op> adapt(const onnx::Node& node, std::int64_t opset, const NodePlace& place,
                          std::span<const ValueFacts>, const KernelChoice&) {
  return make({node, opset, place});
}

constexpr std::array kShapeOps{
    Registration{"", "Identity", adapt<make_identity>},    Registration{"", "Reshape", adapt<make_reshape>},
    Registration{"", "Flatten", adapt<make_flatten>},      Registration{"", "Squeeze", adapt<make_squeeze>},
    Registration{"", "Unsqueeze", adapt<make_unsqueeze>},  Registration{"", "Shape", adapt<make_shape>},
    Registration{"", "Constant", adapt<make_constant>},    Registration{"", "Range", adapt<make_range>},
    Registration{"", "Concat", adapt<make_concat>},        Registration{"", "Split", adapt<make_split>},
    Registration{"", "Slice", adapt<make_slice>},          Registration{"", "Transpose", adapt<make_transpose>},
    Registration{"", "Expand", adapt<make_expand>},        Registration{"", "ReduceSum", adapt<make_reduce_sum>},
    Registration{"", "ReduceMax", adapt<make_reduce_max>},
};

}  // namespace

std::span<const Registration> shape_ops() { return kShapeOps; }

}  // namespace gonogo::ops
