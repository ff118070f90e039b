#include "engine/ops/registry.hpp"

#include "engine/ops/attributes.hpp"

namespace gonogo::ops {
namespace {

const Registration* find(std::string_view domain, std::string_view op_type) {
  for (const auto table : {linear_ops(), attention_ops(), norm_ops(), pointwise_ops(), shape_ops()})
    for (const Registration& entry : table)
      if (entry.domain == domain && entry.op_type == op_type) return &entry;
  return nullptr;
}

}  // namespace

bool is_supported(std::string_view domain, std::string_view op_type) { return find(domain, op_type) != nullptr; }

std::unique_ptr<Op> make_op(const onnx::Node& node, std::int64_t opset, const std::string& file,
                            std::span<const ValueFacts> inputs, const KernelChoice& choice) {
  const std::string type = node.domain.empty() ? node.op_type : node.domain + "." + node.op_type;
  const NodePlace place{file, node.name + " (" + type + ")"};
  const Registration* entry = find(node.domain, node.op_type);
  if (entry == nullptr) reject(place, "operator", "one this engine supports", type);
  return entry->make(node, opset, place, inputs, choice);
}

std::size_t Op::workspace_bytes(std::span<const ValueFacts>, kernels::Threads) const { return 0; }
core::Eligibility Op::capture(std::span<const ValueFacts>) const { return core::accept(); }

}  // namespace gonogo::ops
