#include "engine/cuda/lower.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <variant>

#include "engine/graph/node_runner.hpp"
#include "harness/core/error.hpp"

namespace gonogo::engine::cuda {
namespace {

struct Entry {
  std::string_view op_type;
  DeviceOpPtr (*lower)(const LowerRequest&);
};

constexpr std::array kTable = std::to_array<Entry>({
    {"GroupQueryAttention", lower_attention},
    {"RotaryEmbedding", lower_rotary},
    {"MatMulNBits", lower_matmul_nbits},
    {"MatMul", lower_matmul},
    {"FusedMatMul", lower_matmul},
    {"SimplifiedLayerNormalization", lower_norm},
    {"SkipSimplifiedLayerNormalization", lower_norm},
    {"RMSNormalization", lower_norm},
    {"LayerNormalization", lower_norm},
    {"SkipLayerNormalization", lower_norm},
    {"Gather", lower_gather},
    {"GatherBlockQuantized", lower_gather},
    {"Add", lower_binary},
    {"Sub", lower_binary},
    {"Mul", lower_binary},
    {"Sigmoid", lower_unary},
    {"Relu", lower_unary},
    {"Tanh", lower_unary},
    {"Gelu", lower_unary},
    {"FastGelu", lower_unary},
    {"Cast", lower_unary},
    {"SwiGlu", lower_swiglu},
    {"Split", lower_split},
});

template <class T>
T attribute_or(const graph::Node& node, std::string_view name, T absent) {
  const auto it = node.attributes.find(name);
  const T* value = it == node.attributes.end() ? nullptr : std::get_if<T>(&it->second);
  return value == nullptr ? absent : *value;
}

}  // namespace

ops::ValueFacts LowerRequest::input(std::size_t i) const {
  return i < inputs.size() ? inputs[i] : graph::absent_facts();
}

std::int64_t LowerRequest::integer(std::string_view attribute, std::int64_t absent) const {
  return attribute_or(node, attribute, absent);
}

float LowerRequest::real(std::string_view attribute, float absent) const {
  return attribute_or(node, attribute, absent);
}

void LowerRequest::refuse(const core::Refusal& refusal) const {
  throw core::InputError({graph.file, graph::place_of(node),
                          fmt::format("the cuda backend has no kernel: {}", core::to_string(refusal)),
                          "run it with --backend cpu"});
}

void LowerRequest::want(const core::Eligibility& eligibility) const {
  if (!eligibility) refuse(eligibility.reason());
}

DeviceOpPtr lower(const LowerRequest& request) {
  const auto entry =
      std::find_if(kTable.begin(), kTable.end(), [&](const Entry& e) { return e.op_type == request.node.op_type; });
  if (entry == kTable.end()) request.refuse({"operator, one of", "those with a device kernel", request.node.op_type});
  return entry->lower(request);
}

}  // namespace gonogo::engine::cuda
