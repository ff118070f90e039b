#include "engine/ops/shape_support.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/ops/attributes.hpp"

namespace gonogo::ops {

bool has_input(std::span<const ValueFacts> inputs, std::size_t index) {
  return index < inputs.size() && inputs[index].present;
}

void expect_inputs(const NodePlace& place, std::span<const ValueFacts> inputs, std::size_t least, std::size_t most) {
  if (inputs.size() > most) reject(place, "inputs, at most", std::to_string(most), std::to_string(inputs.size()));
  for (std::size_t i = 0; i < least; ++i)
    if (!has_input(inputs, i)) reject(place, "input " + std::to_string(i), "present", "absent");
  for (const ValueFacts& input : inputs)
    if (input.shape.size() > kMostRank)
      reject(place, "rank, at most", std::to_string(kMostRank), std::to_string(input.shape.size()));
}

std::vector<std::int64_t> known_integers(const NodePlace& place, const ValueFacts& input, std::string_view name) {
  if (input.dtype != core::DType::i64)
    reject(place, "input " + std::string(name) + ", type", "int64", std::string(core::name_of(input.dtype)));
  return known_indices(place, input, name);
}

std::vector<std::int64_t> known_indices(const NodePlace& place, const ValueFacts& input, std::string_view name) {
  const std::string rule = "input " + std::string(name);
  if (input.dtype != core::DType::i64 && input.dtype != core::DType::i32)
    reject(place, rule + ", type", "int64 or int32", std::string(core::name_of(input.dtype)));
  if (input.shape.size() > 1) reject(place, rule + ", rank, at most", "1", std::to_string(input.shape.size()));
  const std::int64_t count = core::count_of(input.shape);
  if (count == 0) return {};
  if (input.constant == nullptr) reject(place, rule, "known before running", "computed from data");
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < count; ++i) {
    if (input.dtype == core::DType::i64)
      values.push_back(reinterpret_cast<const std::int64_t*>(input.constant)[i]);
    else
      values.push_back(reinterpret_cast<const std::int32_t*>(input.constant)[i]);
  }
  return values;
}

std::size_t axis_of(const NodePlace& place, std::int64_t axis, std::size_t rank) {
  const auto extent = static_cast<std::int64_t>(rank);
  if (axis < -extent || axis >= extent)
    reject(place, "axis, in", fmt::format("[{}, {})", -extent, extent), std::to_string(axis));
  return static_cast<std::size_t>(axis < 0 ? axis + extent : axis);
}

std::vector<std::size_t> axes_of(const NodePlace& place, const std::vector<std::int64_t>& axes, std::size_t rank) {
  std::vector<std::size_t> normal;
  for (const std::int64_t axis : axes) normal.push_back(axis_of(place, axis, rank));
  std::sort(normal.begin(), normal.end());
  const auto twice = std::adjacent_find(normal.begin(), normal.end());
  if (twice != normal.end()) reject(place, "axes", "each once", std::to_string(*twice) + " twice");
  return normal;
}

void expect_whole_bytes(const NodePlace& place, core::DType dtype) {
  if (core::bits_of(dtype) < 8) reject(place, "element type", "8 bits or more", std::string(core::name_of(dtype)));
}

core::Work moved(std::span<const ValueFacts> inputs, std::span<const ValueFacts> outputs) {
  core::Work work;
  for (const auto values : {inputs, outputs})
    for (const ValueFacts& value : values)
      if (value.present)
        work.activation_bytes += static_cast<std::int64_t>(core::bytes_of(value.dtype, core::count_of(value.shape)));
  return work;
}

Extents dense_strides(const core::Shape& shape) {
  Extents strides{};
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

void run_strided_copy(const StridedCopy& copy, const std::byte* from, std::byte* to) {
  std::int64_t count = 1;
  for (std::size_t i = 0; i < copy.rank; ++i) count *= copy.extents[i];
  if (count == 0) return;
  const std::size_t inner = copy.rank == 0 ? 0 : copy.rank - 1;
  const std::int64_t inner_extent = copy.rank == 0 ? 1 : copy.extents[inner];
  const std::int64_t inner_stride = copy.rank == 0 ? 1 : copy.strides[inner];
  const std::size_t bytes = copy.element_bytes;
  Extents at{};
  std::int64_t source = copy.offset;
  for (std::int64_t done = 0; done < count; done += inner_extent) {
    const std::byte* row = from + source * static_cast<std::int64_t>(bytes);
    if (inner_stride == 1) {
      std::memcpy(to, row, static_cast<std::size_t>(inner_extent) * bytes);
    } else {
      for (std::int64_t i = 0; i < inner_extent; ++i)
        std::memcpy(to + i * static_cast<std::int64_t>(bytes),
                    row + i * inner_stride * static_cast<std::int64_t>(bytes), bytes);
    }
    to += inner_extent * static_cast<std::int64_t>(bytes);
    for (std::size_t axis = inner; axis-- > 0;) {
      source += copy.strides[axis];
      if (++at[axis] < copy.extents[axis]) break;
      source -= copy.strides[axis] * copy.extents[axis];
      at[axis] = 0;
    }
  }
}

}  // namespace gonogo::ops
