// Blocked 4-bit DequantizeLinear + MatMul -> MatMulNBits. Source: docs/onnx-operators.md.
#include <algorithm>
#include <cstring>
#include <optional>

#include "engine/graph/rewrites.hpp"
#include "harness/core/allocation.hpp"
#include "harness/core/narrow.hpp"

namespace gonogo::graph {
namespace {

/// A weight as DequantizeLinear holds it. Codes are packed flat, the low nibble first.
struct QuantizedWeight {
  core::Tensor codes;   // u4 or i4, [K, N] or [N, K]
  core::Tensor scales;  // [blocks, N] or [N, blocks]
  std::optional<core::Tensor> zero_points;
  bool is_k_first = true;
  std::int64_t k = 0, n = 0, block_size = 0;

  [[nodiscard]] std::int64_t blocks() const { return (k + block_size - 1) / block_size; }
  [[nodiscard]] std::int64_t at(std::int64_t row, std::int64_t k_index, std::int64_t k_count) const {
    return is_k_first ? k_index * n + row : row * k_count + k_index;
  }
};

/// The stored nibble as MatMulNBits counts: unsigned, signed ones moved up by 8.
std::uint8_t unsigned_code(const core::Tensor& tensor, std::int64_t index) {
  const auto byte = tensor.as<std::uint8_t>()[index / 2];
  const auto nibble = static_cast<std::uint8_t>(index % 2 == 0 ? byte & 15 : byte >> 4);
  return tensor.dtype == core::DType::i4 ? static_cast<std::uint8_t>(nibble ^ 8) : nibble;
}

std::optional<std::int64_t> integer_attribute(const Node& node, std::string_view name, std::int64_t absent) {
  const auto found = node.attributes.find(name);
  if (found == node.attributes.end()) return absent;
  const auto* value = std::get_if<std::int64_t>(&found->second);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

const core::Tensor* constant_input(const Graph& graph, const Node& node, std::size_t index) {
  if (index >= node.inputs.size() || node.inputs[index] == kAbsent) return nullptr;
  const Value& value = graph.value(node.inputs[index]);
  return value.constant ? &*value.constant : nullptr;
}

std::optional<QuantizedWeight> weight_of(const Graph& graph, const Node& node, bool is_transposed) {
  if (!node.domain.empty() || node.op_type != "DequantizeLinear" || node.inputs.size() < 2) return std::nullopt;
  const core::Tensor* codes = constant_input(graph, node, 0);
  const core::Tensor* scales = constant_input(graph, node, 1);
  const auto axis = integer_attribute(node, "axis", 1);
  const auto block_size = integer_attribute(node, "block_size", 0);
  if (codes == nullptr || scales == nullptr || !axis || !block_size || codes->shape.size() != 2) return std::nullopt;
  if (codes->dtype != core::DType::u4 && codes->dtype != core::DType::i4) return std::nullopt;
  if (scales->dtype != core::DType::f32 && scales->dtype != core::DType::f16) return std::nullopt;
  if (integer_attribute(node, "output_dtype", static_cast<std::int64_t>(scales->dtype)) !=
      static_cast<std::int64_t>(scales->dtype))
    return std::nullopt;
  for (const auto& [name, value] : node.attributes)
    if (name != "axis" && name != "block_size" && name != "output_dtype") return std::nullopt;
  constexpr std::int64_t kBlockSizes[] = {16, 32, 64, 128, 256};
  if (std::find(std::begin(kBlockSizes), std::end(kBlockSizes), *block_size) == std::end(kBlockSizes))
    return std::nullopt;
  QuantizedWeight weight{*codes, *scales, std::nullopt, !is_transposed, 0, 0, *block_size};
  const core::Tensor* zero_points = constant_input(graph, node, 2);
  if (zero_points != nullptr) weight.zero_points = *zero_points;
  const std::int64_t k_axis = is_transposed ? 1 : 0;
  if (*axis != k_axis && *axis != k_axis - 2) return std::nullopt;
  weight.k = codes->shape[static_cast<std::size_t>(k_axis)];
  weight.n = codes->shape[static_cast<std::size_t>(1 - k_axis)];
  const core::Shape wanted =
      is_transposed ? core::Shape{weight.n, weight.blocks()} : core::Shape{weight.blocks(), weight.n};
  const bool has_zero_points = node.inputs.size() > 2 && node.inputs[2] != kAbsent;
  if (has_zero_points &&
      (!weight.zero_points || weight.zero_points->shape != wanted || weight.zero_points->dtype != codes->dtype))
    return std::nullopt;
  if (scales->shape != wanted || weight.k == 0 || weight.n == 0) return std::nullopt;
  return weight;
}

ValueId add_constant(Graph& graph, const std::string& name, core::DType dtype, const core::Shape& shape) {
  core::Tensor tensor{dtype, shape};
  const auto buffer = std::make_shared<core::HostBuffer>(std::max<std::size_t>(1, tensor.bytes()));
  std::memset(buffer->data(), 0, buffer->size());
  tensor.data = buffer->data();
  graph.storage.push_back(buffer);
  Value& value = graph.values.emplace_back();
  value.name = name;
  value.dtype = dtype;
  value.is_typed = true;
  value.constant = tensor;
  return core::narrow<ValueId>(graph.values.size() - 1);
}

std::uint8_t* bytes_at(Graph& graph, ValueId id) {
  return id == kAbsent ? nullptr : graph.values[static_cast<std::size_t>(id)].constant->as<std::uint8_t>();
}

/// codes, scales and zero points in MatMulNBits' layout; the last is absent when 8, its default there.
std::vector<ValueId> repack(Graph& graph, const QuantizedWeight& weight, const std::string& name) {
  const std::int64_t blocks = weight.blocks();
  const std::int64_t row_bytes = blocks * weight.block_size / 2;
  const ValueId codes =
      add_constant(graph, name + "_codes", core::DType::u8, {weight.n, blocks, weight.block_size / 2});
  const ValueId scales = add_constant(graph, name + "_scales", weight.scales.dtype, {weight.n, blocks});
  const bool is_default = !weight.zero_points && weight.codes.dtype == core::DType::i4;
  const std::int64_t zero_row_bytes = (blocks + 1) / 2;
  const ValueId zeros =
      is_default ? kAbsent : add_constant(graph, name + "_zero_points", core::DType::u8, {weight.n, zero_row_bytes});
  std::uint8_t* code_bytes = bytes_at(graph, codes);
  std::uint8_t* scale_data = bytes_at(graph, scales);
  std::uint8_t* zero_bytes = bytes_at(graph, zeros);
  const auto scale_bytes = static_cast<std::size_t>(core::bits_of(weight.scales.dtype) / 8);
  for (std::int64_t row = 0; row < weight.n; ++row) {
    for (std::int64_t k = 0; k < weight.k; ++k)
      code_bytes[row * row_bytes + k / 2] |=
          static_cast<std::uint8_t>(unsigned_code(weight.codes, weight.at(row, k, weight.k)) << (k % 2 * 4));
    for (std::int64_t block = 0; block < blocks; ++block) {
      const std::int64_t from = weight.at(row, block, blocks);
      std::memcpy(scale_data + static_cast<std::size_t>(row * blocks + block) * scale_bytes,
                  weight.scales.data + static_cast<std::size_t>(from) * scale_bytes, scale_bytes);
      if (weight.zero_points)
        zero_bytes[row * zero_row_bytes + block / 2] |=
            static_cast<std::uint8_t>(unsigned_code(*weight.zero_points, from) << (block % 2 * 4));
    }
  }
  return zeros == kAbsent ? std::vector<ValueId>{codes, scales} : std::vector<ValueId>{codes, scales, zeros};
}

bool swaps_two_axes(const Node& node) {
  if (!node.domain.empty() || node.op_type != "Transpose" || node.inputs.size() != 1) return false;
  const auto found = node.attributes.find("perm");
  if (found == node.attributes.end()) return true;  // reverses the axes
  const auto* perm = std::get_if<std::vector<std::int64_t>>(&found->second);
  return perm != nullptr && *perm == std::vector<std::int64_t>{1, 0};
}

}  // namespace

int dequantize_matmul(Graph& graph) {
  const std::vector<int> producer = producers(graph);
  const std::vector<int> readers = consumer_counts(graph);
  std::vector<bool> is_dropped(graph.nodes.size(), false);
  int rewritten = 0;
  for (Node& matmul : graph.nodes) {
    if (!matmul.domain.empty() || matmul.op_type != "MatMul" || matmul.inputs.size() != 2 ||
        matmul.inputs[1] == kAbsent)
      continue;
    int source = producer[static_cast<std::size_t>(matmul.inputs[1])];
    if (source < 0) continue;
    std::vector<int> chain{source};
    const bool is_transposed = swaps_two_axes(graph.nodes[static_cast<std::size_t>(source)]);
    if (is_transposed) {
      source = producer[static_cast<std::size_t>(graph.nodes[static_cast<std::size_t>(source)].inputs[0])];
      if (source < 0) continue;
      chain.push_back(source);
    }
    const auto weight = weight_of(graph, graph.nodes[static_cast<std::size_t>(source)], is_transposed);
    const auto is_shared = [&](int n) {
      return readers[static_cast<std::size_t>(graph.nodes[static_cast<std::size_t>(n)].outputs[0])] != 1;
    };
    if (!weight || std::any_of(chain.begin(), chain.end(), is_shared)) continue;
    const std::string name = graph.value(graph.nodes[static_cast<std::size_t>(source)].inputs[0]).name;
    const std::vector<ValueId> packed = repack(graph, *weight, name);
    for (const int n : chain) is_dropped[static_cast<std::size_t>(n)] = true;
    matmul.domain = "com.microsoft";
    matmul.op_type = "MatMulNBits";
    matmul.inputs.resize(1);
    matmul.inputs.insert(matmul.inputs.end(), packed.begin(), packed.end());
    matmul.attributes = {
        {"K", weight->k}, {"N", weight->n}, {"bits", std::int64_t{4}}, {"block_size", weight->block_size}};
    // ONNX Runtime's CPU fuses this layout with level 4 and leaves the transposed one exact (docs/onnx-operators.md).
    if (!is_transposed) matmul.attributes.emplace("accuracy_level", std::int64_t{4});
    ++rewritten;
  }
  if (rewritten > 0) graph.opsets.try_emplace("com.microsoft", 1);
  remove_nodes(graph, is_dropped);
  return rewritten;
}

}  // namespace gonogo::graph
