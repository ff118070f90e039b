// Factories of the shape operators, by file; shape.cpp lists them.
#pragma once

#include <memory>
#include <span>

#include "engine/ops/op.hpp"

namespace gonogo::ops {

/// What a factory is given: the parameters of ops::Factory in one place.
struct Recipe {
  const onnx::Node& node;
  std::int64_t opset;
  const NodePlace& place;
};

// shape_view.cpp: the output is the input's bytes under another shape.
std::unique_ptr<Op> make_identity(const Recipe& recipe);
std::unique_ptr<Op> make_reshape(const Recipe& recipe);
std::unique_ptr<Op> make_flatten(const Recipe& recipe);
std::unique_ptr<Op> make_squeeze(const Recipe& recipe);
std::unique_ptr<Op> make_unsqueeze(const Recipe& recipe);
// shape_source.cpp: values that come from shapes or attributes.
std::unique_ptr<Op> make_shape(const Recipe& recipe);
std::unique_ptr<Op> make_constant(const Recipe& recipe);
std::unique_ptr<Op> make_range(const Recipe& recipe);
// shape_join.cpp: along one axis.
std::unique_ptr<Op> make_concat(const Recipe& recipe);
std::unique_ptr<Op> make_split(const Recipe& recipe);
// shape_move.cpp: strided copies.
std::unique_ptr<Op> make_slice(const Recipe& recipe);
std::unique_ptr<Op> make_transpose(const Recipe& recipe);
std::unique_ptr<Op> make_expand(const Recipe& recipe);
// shape_reduce.cpp: over axes.
std::unique_ptr<Op> make_reduce_sum(const Recipe& recipe);
std::unique_ptr<Op> make_reduce_max(const Recipe& recipe);

}  // namespace gonogo::ops
