#include "engine/graph/affine.hpp"

#include <algorithm>
#include <numeric>

namespace gonogo::graph {
namespace {

using Inputs = std::vector<const AffineTensor*>;
using Result = std::optional<AffineTensor>;

std::optional<std::int64_t> integer_attribute(const Node& node, std::string_view name, std::int64_t absent) {
  const auto found = node.attributes.find(name);
  if (found == node.attributes.end()) return absent;
  const auto* value = std::get_if<std::int64_t>(&found->second);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

/// Axes as the attribute of old opsets, or as the constant second input of newer ones; empty when not given.
std::optional<std::vector<std::int64_t>> axes_of(const Node& node, const Inputs& inputs, std::int64_t rank) {
  std::vector<std::int64_t> axes;
  if (const auto found = node.attributes.find("axes"); found != node.attributes.end()) {
    const auto* values = std::get_if<std::vector<std::int64_t>>(&found->second);
    if (values == nullptr) return std::nullopt;
    axes = *values;
  } else if (inputs.size() > 1 && inputs[1] != nullptr) {
    if (inputs[1]->is_mask) return std::nullopt;
    for (const Affine& element : inputs[1]->elements) {
      if (element.scale != 0) return std::nullopt;
      axes.push_back(element.offset);
    }
  }
  for (std::int64_t& axis : axes) {
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return std::nullopt;
  }
  std::sort(axes.begin(), axes.end());
  return axes;
}

Result cast(const Node& node, const Inputs& inputs) {
  const auto to = integer_attribute(node, "to", 0);
  if (!to || (*to != static_cast<std::int64_t>(core::DType::i32) && *to != static_cast<std::int64_t>(core::DType::i64)))
    return std::nullopt;
  AffineTensor result = *inputs[0];
  result.dtype = static_cast<core::DType>(*to);
  return result;
}

Result shape(const Node& node, const Inputs& inputs) {
  if (!inputs[0]->is_mask) return std::nullopt;
  const std::int64_t rank = 2;
  const auto start = integer_attribute(node, "start", 0);
  const auto end = integer_attribute(node, "end", rank);
  if (!start || !end) return std::nullopt;
  const auto place = [&](std::int64_t at) { return std::clamp(at < 0 ? at + rank : at, std::int64_t{0}, rank); };
  AffineTensor result;
  const Affine extents[] = {{0, 1}, {1, 0}};
  for (std::int64_t i = place(*start); i < place(*end); ++i) result.elements.push_back(extents[i]);
  result.shape = {static_cast<std::int64_t>(result.elements.size())};
  return result;
}

/// Sum or maximum over axes: the mask over its second axis, or a tensor of one element over any.
Result reduce(const Node& node, const Inputs& inputs, bool is_sum) {
  const AffineTensor& from = *inputs[0];
  const core::Shape extents = from.is_mask ? core::Shape{1, -1} : from.shape;
  const auto rank = static_cast<std::int64_t>(extents.size());
  auto axes = axes_of(node, inputs, rank);
  const auto keep = integer_attribute(node, "keepdims", 1);
  if (!axes || !keep) return std::nullopt;
  if (axes->empty()) {
    if (integer_attribute(node, "noop_with_empty_axes", 0) != 0) return std::nullopt;
    axes->resize(static_cast<std::size_t>(rank));
    std::iota(axes->begin(), axes->end(), 0);
  }
  const auto is_reduced = [&](std::int64_t axis) { return std::find(axes->begin(), axes->end(), axis) != axes->end(); };
  AffineTensor result;
  result.dtype = from.dtype;
  if (from.is_mask) {
    if (!is_reduced(1)) return std::nullopt;
    result.elements = {is_sum ? Affine{1, 0} : Affine{0, 1}};
  } else {
    if (from.elements.size() != 1) return std::nullopt;
    result.elements = from.elements;
  }
  for (std::int64_t axis = 0; axis < rank; ++axis)
    if (!is_reduced(axis))
      result.shape.push_back(extents[static_cast<std::size_t>(axis)]);
    else if (*keep != 0)
      result.shape.push_back(1);
  return result;
}

Result gather(const Node& node, const Inputs& inputs) {
  if (inputs.size() < 2 || inputs[1] == nullptr) return std::nullopt;
  const AffineTensor& from = *inputs[0];
  const AffineTensor& indices = *inputs[1];
  const auto axis = integer_attribute(node, "axis", 0);
  if (from.is_mask || indices.is_mask || from.shape.size() != 1 || !axis || (*axis != 0 && *axis != -1))
    return std::nullopt;
  AffineTensor result{from.dtype, indices.shape, {}, false};
  for (const Affine& index : indices.elements) {
    const auto count = static_cast<std::int64_t>(from.elements.size());
    const std::int64_t at = index.offset < 0 ? index.offset + count : index.offset;
    if (index.scale != 0 || at < 0 || at >= count) return std::nullopt;
    result.elements.push_back(from.elements[static_cast<std::size_t>(at)]);
  }
  return result;
}

std::optional<Affine> combine(std::string_view op, Affine a, Affine b) {
  if (op == "Add") return Affine{a.scale + b.scale, a.offset + b.offset};
  if (op == "Sub") return Affine{a.scale - b.scale, a.offset - b.offset};
  if (a.scale != 0 && b.scale != 0) return std::nullopt;  // Mul: quadratic in the total
  return Affine{a.scale * b.offset + b.scale * a.offset, a.offset * b.offset};
}

/// Add, Sub, Mul of equal shapes, or with one side of a single element.
Result arithmetic(const Node& node, const Inputs& inputs) {
  if (inputs.size() != 2 || inputs[1] == nullptr) return std::nullopt;
  const AffineTensor& a = *inputs[0];
  const AffineTensor& b = *inputs[1];
  if (a.is_mask || b.is_mask || a.dtype != b.dtype) return std::nullopt;
  const bool is_a_one = a.elements.size() == 1;
  const bool is_b_one = b.elements.size() == 1;
  if (a.shape != b.shape && !is_a_one && !is_b_one) return std::nullopt;
  AffineTensor result{
      a.dtype, is_a_one && (!is_b_one || b.shape.size() > a.shape.size()) ? b.shape : a.shape, {}, false};
  // One element of higher rank than the other side would change the other's rank: not worth a rule.
  if (std::min(a.shape.size(), b.shape.size()) != 0 && a.shape.size() != b.shape.size()) return std::nullopt;
  for (std::size_t i = 0; i < std::max(a.elements.size(), b.elements.size()); ++i) {
    const auto value = combine(node.op_type, a.elements[is_a_one ? 0 : i], b.elements[is_b_one ? 0 : i]);
    if (!value) return std::nullopt;
    result.elements.push_back(*value);
  }
  return result;
}

Result unsqueeze(const Node& node, const Inputs& inputs) {
  AffineTensor result = *inputs[0];
  if (result.is_mask) return std::nullopt;
  // Axes count in the result's rank, which depends on how many there are.
  const std::size_t added = inputs.size() > 1 && inputs[1] != nullptr ? inputs[1]->elements.size() : 1;
  const auto axes = axes_of(node, inputs, static_cast<std::int64_t>(result.shape.size() + added));
  if (!axes || axes->empty() || (node.attributes.contains("axes") && axes->size() != 1)) return std::nullopt;
  for (const std::int64_t axis : *axes)
    result.shape.insert(result.shape.begin() + std::min<std::ptrdiff_t>(axis, std::ssize(result.shape)), 1);
  return result;
}

Result squeeze(const Node& node, const Inputs& inputs) {
  AffineTensor result = *inputs[0];
  if (result.is_mask) return std::nullopt;
  const auto axes = axes_of(node, inputs, static_cast<std::int64_t>(result.shape.size()));
  if (!axes) return std::nullopt;
  core::Shape kept;
  for (std::int64_t axis = 0; axis < std::ssize(result.shape); ++axis) {
    const bool is_named = std::find(axes->begin(), axes->end(), axis) != axes->end();
    const std::int64_t extent = result.shape[static_cast<std::size_t>(axis)];
    if (is_named && extent != 1) return std::nullopt;
    if (!is_named && !(axes->empty() && extent == 1)) kept.push_back(extent);
  }
  result.shape = kept;
  return result;
}

}  // namespace

Result affine_result(const Node& node, const Inputs& inputs) {
  if (!node.domain.empty() || inputs.empty() || inputs[0] == nullptr || node.outputs.size() != 1) return std::nullopt;
  const std::string& op = node.op_type;
  if (op == "Identity") return *inputs[0];
  if (op == "Cast") return cast(node, inputs);
  if (op == "Shape") return shape(node, inputs);
  if (op == "ReduceSum") return reduce(node, inputs, true);
  if (op == "ReduceMax") return reduce(node, inputs, false);
  if (op == "Gather") return gather(node, inputs);
  if (op == "Add" || op == "Sub" || op == "Mul") return arithmetic(node, inputs);
  if (op == "Unsqueeze") return unsqueeze(node, inputs);
  if (op == "Squeeze") return squeeze(node, inputs);
  return std::nullopt;
}

Result affine_constant(const core::Tensor& tensor) {
  constexpr std::int64_t kMost = 64;
  if ((tensor.dtype != core::DType::i32 && tensor.dtype != core::DType::i64) || tensor.count() > kMost)
    return std::nullopt;
  AffineTensor result{tensor.dtype, tensor.shape, {}, false};
  for (std::int64_t i = 0; i < tensor.count(); ++i)
    result.elements.push_back(
        {0, tensor.dtype == core::DType::i32 ? tensor.as<std::int32_t>()[i] : tensor.as<std::int64_t>()[i]});
  return result;
}

}  // namespace gonogo::graph
